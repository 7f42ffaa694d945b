#define _GNU_SOURCE
#if defined(__linux__)

#include "Original.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of temporary files: the C library draws them past every definition of this library. */

ORIGINAL(mkstemp)
ORIGINAL(mkstemp64)
ORIGINAL(mkostemp)
ORIGINAL(mkostemp64)
ORIGINAL(mkstemps)
ORIGINAL(mkstemps64)
ORIGINAL(mkostemps)
ORIGINAL(mkostemps64)
ORIGINAL(mkdtemp)
ORIGINAL(mktemp)
ORIGINAL(tmpnam)
ORIGINAL(tmpnam_r)
ORIGINAL(tempnam)

enum thing { A_FILE, A_FOLDER, A_NAME };

static const char blank[] = "XXXXXX";
enum { BLANK = sizeof blank - 1 };

static void write_name(char *place, uint64_t number) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
  number = (number ^ number >> 27) * 0x94D049BB133111EB;
  number ^= number >> 31;
  for (int index = 0; index < BLANK; index++, number /= 62) place[index] = letters[number % 62];
}

static int make(const char *path, int flags, enum thing thing) {
  struct stat status;
  switch (thing) {
    case A_FILE: return open(path, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
    case A_FOLDER: return mkdir(path, 0700);
    case A_NAME:
      if (lstat(path, &status) == 0) errno = EEXIST;
      return errno == ENOENT ? 0 : -1;
  }
  return -1;
}

/* Fills the blank of a path with a name that no file has. One random number is drawn, whatever files there are, so that
   those of an earlier run change nothing else. */
static int fill(char *path, int suffix, int flags, enum thing thing) {
  size_t length = strlen(path);
  char *place = path + length - suffix - BLANK;
  if (suffix < 0 || length < BLANK + (size_t)suffix || strncmp(place, blank, BLANK) != 0) {
    errno = EINVAL;
    return -1;
  }
  uint64_t number;
  earshot_draw(&number, sizeof number);
  for (int tries = 0; tries < 10000; tries++) {
    write_name(place, number);
    int result = make(path, flags, thing);
    if (result >= 0 || errno != EEXIST) return result;
    number += 0x9E3779B97F4A7C15;
  }
  return -1;
}

#define MAKE(name, parameters, arguments, suffix, flags)                    \
  int name parameters {                                                     \
    if (!earshot_system_is_answered()) return original_##name() arguments;  \
    return fill(path, suffix, flags, A_FILE);                               \
  }
MAKE(mkstemp, (char *path), (path), 0, 0)
MAKE(mkstemp64, (char *path), (path), 0, 0)
MAKE(mkostemp, (char *path, int flags), (path, flags), 0, flags)
MAKE(mkostemp64, (char *path, int flags), (path, flags), 0, flags)
MAKE(mkstemps, (char *path, int suffix), (path, suffix), suffix, 0)
MAKE(mkstemps64, (char *path, int suffix), (path, suffix), suffix, 0)
MAKE(mkostemps, (char *path, int suffix, int flags), (path, suffix, flags), suffix, flags)
MAKE(mkostemps64, (char *path, int suffix, int flags), (path, suffix, flags), suffix, flags)

char *mkdtemp(char *path) {
  if (!earshot_system_is_answered()) return original_mkdtemp()(path);
  return fill(path, 0, 0, A_FOLDER) < 0 ? NULL : path;
}

char *mktemp(char *path) {
  if (!earshot_system_is_answered()) return original_mktemp()(path);
  if (fill(path, 0, 0, A_NAME) < 0) path[0] = 0;
  return path;
}

static char *name_file(char *place) {
  strcpy(place, P_tmpdir "/fileXXXXXX");
  return fill(place, 0, 0, A_NAME) < 0 ? NULL : place;
}

char *tmpnam(char *place) {
  static char common[L_tmpnam];
  if (!earshot_system_is_answered()) return original_tmpnam()(place);
  return name_file(place != NULL ? place : common);
}

char *tmpnam_r(char *place) {
  if (!earshot_system_is_answered()) return original_tmpnam_r()(place);
  return place == NULL ? NULL : name_file(place);
}

static int is_folder(const char *path) {
  struct stat status;
  return path != NULL && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *tempnam(const char *folder, const char *prefix) {
  if (!earshot_system_is_answered()) return original_tempnam()(folder, prefix);
  const char *chosen = secure_getenv("TMPDIR");
  if (!is_folder(chosen)) chosen = is_folder(folder) ? folder : P_tmpdir;
  char *path;
  if (asprintf(&path, "%s/%.5sXXXXXX", chosen, prefix != NULL ? prefix : "file") < 0) return NULL;
  if (fill(path, 0, 0, A_NAME) == 0) return path;
  free(path);
  return NULL;
}

#endif
