#define _GNU_SOURCE
#if defined(__linux__)

#include "Original.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

ORIGINAL(getrandom)
ORIGINAL(getentropy)
ORIGINAL(syscall)
ORIGINAL(open)
ORIGINAL(open64)

static void draw(void *bytes, size_t count) { earshot_calls.draw(earshot_world, bytes, count); }

/* OpenSSL keeps what it draws for the whole process, whose other threads may have secrets. */
static int is_of_openssl(void *caller) {
  Dl_info place;
  return dladdr(caller, &place) != 0 && place.dli_fname != NULL && strstr(place.dli_fname, "libcrypto") != NULL;
}

static int is_answered(void *caller) { return earshot_world != NULL && !is_of_openssl(caller); }

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  if (!is_answered(__builtin_return_address(0))) return original_getrandom()(bytes, count, flags);
  draw(bytes, count);
  return (ssize_t)count;
}

int getentropy(void *bytes, size_t count) {
  if (!is_answered(__builtin_return_address(0))) return original_getentropy()(bytes, count);
  draw(bytes, count);
  return 0;
}

/* Swift's runtime asks the kernel for random bytes in this way. */
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_getrandom && is_answered(__builtin_return_address(0))) {
    draw((void *)a, (size_t)b);
    return b;
  }
  return original_syscall()(number, a, b, c, d, e, f);
}

/* A file of random bytes in place of the device, another one for each time that it is opened. Foundation reads 16 bytes
   of it for each UUID. */
static int open_random(void) {
  uint8_t bytes[4096];
  int file = memfd_create("urandom", MFD_CLOEXEC);
  if (file < 0) return file;
  draw(bytes, sizeof bytes);
  if (write(file, bytes, sizeof bytes) == sizeof bytes && lseek(file, 0, SEEK_SET) == 0) return file;
  close(file);
  return -1;
}

static int is_random(const char *path, void *caller) {
  return (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0) && is_answered(caller);
}

#define OPEN(name)                                                              \
  int name(const char *path, int flags, ...) {                                  \
    va_list list;                                                               \
    va_start(list, flags);                                                      \
    mode_t mode = va_arg(list, mode_t);                                         \
    va_end(list);                                                               \
    if (is_random(path, __builtin_return_address(0))) return open_random();     \
    return original_##name()(path, flags, mode);                                   \
  }
OPEN(open)
OPEN(open64)

#endif
