#define _GNU_SOURCE
#if defined(__linux__)

#include "Original.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

ORIGINAL(open)
ORIGINAL(open64)
ORIGINAL(openat)
ORIGINAL(openat64)
ORIGINAL(fopen)
ORIGINAL(fopen64)
ORIGINAL(freopen)
ORIGINAL(freopen64)

/* What a program reads of the device at most: Foundation reads 16 bytes for each UUID, streams of C a buffer at a time. */
enum { DESCRIPTOR_BYTES = 4096, STREAM_BYTES = 65536 };

/* A file of random bytes in place of the device, another one for each time that it is opened. Not inlined: files are opened
   on the small stacks of signal handlers, too. */
__attribute__((noinline)) static int open_random(size_t count) {
  uint8_t bytes[DESCRIPTOR_BYTES];
  int file = memfd_create("urandom", MFD_CLOEXEC);
  if (file < 0) return file;
  for (size_t written = 0; written < count; written += sizeof bytes) {
    earshot_draw(bytes, sizeof bytes);
    if (write(file, bytes, sizeof bytes) == sizeof bytes) continue;
    close(file);
    return -1;
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

/* Whether a file is /dev/random or /dev/urandom, by whatever name it was opened. */
static int is_random(int file) {
  struct stat status;
  return file >= 0 && fstat(file, &status) == 0 && S_ISCHR(status.st_mode) &&
         (status.st_rdev == makedev(1, 8) || status.st_rdev == makedev(1, 9));
}

/* The file in place of one that was opened. */
static int answer(int file, int flags, void *caller) {
  if (earshot_world == NULL || (flags & O_ACCMODE) == O_WRONLY || (flags & O_PATH) != 0) return file;
  if (!is_random(file) || !earshot_chance_is_answered(caller)) return file;
  close(file);
  return open_random(DESCRIPTOR_BYTES);
}

#define MODE(last)                    \
  va_list list;                       \
  va_start(list, last);               \
  mode_t mode = va_arg(list, mode_t); \
  va_end(list);

#define OPEN(name)                                                                              \
  int name(const char *path, int flags, ...) {                                                  \
    MODE(flags)                                                                                 \
    return answer(original_##name()(path, flags, mode), flags, __builtin_return_address(0)); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                            \
  int name(int folder, const char *path, int flags, ...) {                                      \
    MODE(flags)                                                                                 \
    return answer(original_##name()(folder, path, flags, mode), flags, __builtin_return_address(0)); \
  }
OPENAT(openat)
OPENAT(openat64)

/* What callers that are compiled with checks of their arguments (_FORTIFY_SOURCE) call. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }
int __openat_2(int folder, const char *path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char *path, int flags) { return openat64(folder, path, flags); }

/* Whether another file is to be in the place of a stream's. */
static int is_answered(FILE *stream, const char *mode, void *caller) {
  return earshot_world != NULL && stream != NULL && mode[0] == 'r' && is_random(fileno(stream)) &&
         earshot_chance_is_answered(caller);
}

#define FOPEN(name)                                                                      \
  FILE *name(const char *restrict path, const char *restrict mode) {                     \
    FILE *stream = original_##name()(path, mode);                                        \
    if (!is_answered(stream, mode, __builtin_return_address(0))) return stream;          \
    fclose(stream);                                                                      \
    int file = open_random(STREAM_BYTES);                                                \
    return file < 0 ? NULL : fdopen(file, mode);                                         \
  }
FOPEN(fopen)
FOPEN(fopen64)

#define FREOPEN(name)                                                                    \
  FILE *name(const char *restrict path, const char *restrict mode, FILE *restrict old) { \
    FILE *stream = original_##name()(path, mode, old);                                   \
    if (!is_answered(stream, mode, __builtin_return_address(0))) return stream;          \
    int file = open_random(STREAM_BYTES);                                                \
    if (file < 0) {                                                                      \
      fclose(stream);                                                                    \
      return NULL;                                                                       \
    }                                                                                    \
    dup2(file, fileno(stream));                                                          \
    close(file);                                                                         \
    return stream;                                                                       \
  }
FREOPEN(freopen)
FREOPEN(freopen64)

#endif
