#define _GNU_SOURCE
#if defined(__linux__)

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "Original.h"

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  if (!earshot_process_is_captured) return ORIGINAL(getrandom)(bytes, count, flags);
  earshot_process_random(bytes, count);
  return (ssize_t)count;
}

int getentropy(void *bytes, size_t count) {
  if (!earshot_process_is_captured) return ORIGINAL(getentropy)(bytes, count);
  earshot_process_random(bytes, count);
  return 0;
}

/* Swift's runtime asks the kernel for random bytes in this way. */
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (earshot_process_is_captured && number == SYS_getrandom) {
    earshot_process_random((void *)a, (uint64_t)b);
    return b;
  }
  static __typeof__(&syscall) original;
  if (original == NULL) original = ORIGINAL(syscall);
  return original(number, a, b, c, d, e, f);
}

/* A file of random bytes in place of the device: 64 KiB, another one for each time that it is opened. */
static int open_random(void) {
  uint8_t bytes[4096];
  int file = memfd_create("urandom", MFD_CLOEXEC);
  for (int block = 0; file >= 0 && block < 16; block++) {
    earshot_process_random(bytes, sizeof bytes);
    if (write(file, bytes, sizeof bytes) != sizeof bytes) return -1;
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}

static int is_random(const char *path) {
  return earshot_process_is_captured && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
}

#define OPEN(name)                                  \
  int name(const char *path, int flags, ...) {      \
    va_list list;                                   \
    va_start(list, flags);                          \
    mode_t mode = va_arg(list, mode_t);             \
    va_end(list);                                   \
    if (is_random(path)) return open_random();      \
    return ORIGINAL(name)(path, flags, mode);       \
  }
OPEN(open)
OPEN(open64)

#endif
