#define _GNU_SOURCE
#if defined(__linux__)

#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <utime.h>

#include "Original.h"

/* The times of files. What the system notes as a file changes is real time; in its place each file shows the beginning of the
   world, unless the program has set a time itself. */

/* The times that the program has set, in nanoseconds, in a table with free places of 0. Used by the thread that drives
   the world alone. */
static int64_t *times_set;
static size_t times_capacity, times_count;

static int64_t *place_of(int64_t time) {
  size_t place = (uint64_t)time * 0x9E3779B97F4A7C15 % times_capacity;
  while (times_set[place] != 0 && times_set[place] != time) place = (place + 1) % times_capacity;
  return &times_set[place];
}

static int64_t nanoseconds(const struct timespec *time) { return time->tv_sec * 1000000000 + time->tv_nsec; }

static void note_set(const struct timespec *time) {
  int64_t number = nanoseconds(time);
  if (number == 0) return;
  if (times_count * 2 >= times_capacity) {
    int64_t *before = times_set;
    size_t capacity = times_capacity;
    times_capacity = capacity == 0 ? 64 : capacity * 2;
    times_set = calloc(times_capacity, sizeof *times_set);
    if (times_set == NULL) abort();
    for (size_t index = 0; index < capacity; index++) {
      if (before[index] != 0) *place_of(before[index]) = before[index];
    }
    free(before);
  }
  int64_t *place = place_of(number);
  if (*place == 0) times_count++;
  *place = number;
}

static int is_set(const struct timespec *time) {
  int64_t number = nanoseconds(time);
  return number != 0 && times_count != 0 && *place_of(number) == number;
}

static const struct timespec beginning = {.tv_sec = EARSHOT_EPOCH};

static void hide(struct timespec *time) {
  if (!is_set(time)) *time = beginning;
}

static int seen(int error, struct stat *status) {
  if (error != 0 || !is_captured()) return error;
  hide(&status->st_atim);
  hide(&status->st_mtim);
  status->st_ctim = beginning;
  return error;
}

#if __GLIBC_PREREQ(2, 33)
ORIGINAL(stat)
ORIGINAL(lstat)
ORIGINAL(fstat)
ORIGINAL(fstatat)
ORIGINAL(stat64)
ORIGINAL(lstat64)
ORIGINAL(fstat64)
ORIGINAL(fstatat64)

/* Both structures are the same where files are large anyway, as on all processors of 64 bits. */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "");

int stat(const char *restrict path, struct stat *restrict status) { return seen(original_stat()(path, status), status); }
int lstat(const char *restrict path, struct stat *restrict status) { return seen(original_lstat()(path, status), status); }
int fstat(int file, struct stat *status) { return seen(original_fstat()(file, status), status); }

int fstatat(int folder, const char *restrict path, struct stat *restrict status, int flags) {
  return seen(original_fstatat()(folder, path, status, flags), status);
}

int stat64(const char *restrict path, struct stat64 *restrict status) {
  return seen(original_stat64()(path, status), (struct stat *)status);
}

int lstat64(const char *restrict path, struct stat64 *restrict status) {
  return seen(original_lstat64()(path, status), (struct stat *)status);
}

int fstat64(int file, struct stat64 *status) { return seen(original_fstat64()(file, status), (struct stat *)status); }

int fstatat64(int folder, const char *restrict path, struct stat64 *restrict status, int flags) {
  return seen(original_fstatat64()(folder, path, status, flags), (struct stat *)status);
}
#endif

ORIGINAL(statx)

static void hide_extended(struct statx_timestamp *time) {
  struct timespec plain = {.tv_sec = time->tv_sec, .tv_nsec = time->tv_nsec};
  hide(&plain);
  time->tv_sec = plain.tv_sec;
  time->tv_nsec = (unsigned)plain.tv_nsec;
}

int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict status) {
  int error = original_statx()(folder, path, flags, mask, status);
  if (error != 0 || !is_captured()) return error;
  hide_extended(&status->stx_atime);
  hide_extended(&status->stx_mtime);
  status->stx_ctime = status->stx_btime = (struct statx_timestamp){.tv_sec = EARSHOT_EPOCH};
  return error;
}

/* What goes through folders has read the times of files within the C library. */
ORIGINAL(fts_read)
ORIGINAL(fts_children)

static void see_entry(FTSENT *entry) {
  if (entry != NULL && entry->fts_statp != NULL && entry->fts_info != FTS_NS && entry->fts_info != FTS_NSOK) {
    (void)seen(0, entry->fts_statp);
  }
}

FTSENT *fts_read(FTS *walk) {
  FTSENT *entry = original_fts_read()(walk);
  see_entry(entry);
  return entry;
}

FTSENT *fts_children(FTS *walk, int options) {
  FTSENT *first = original_fts_children()(walk, options);
  for (FTSENT *entry = first; entry != NULL; entry = entry->fts_link) see_entry(entry);
  return first;
}

/* What sets the times of a file: now is the time of the world. */
ORIGINAL(utimensat)
ORIGINAL(futimens)
ORIGINAL(utimes)
ORIGINAL(lutimes)
ORIGINAL(futimes)
ORIGINAL(futimesat)
ORIGINAL(utime)

/* The times to set: the access and the modification. */
static const struct timespec *noted(const struct timespec *given, struct timespec *place) {
  if (!is_captured()) return given;
  for (int index = 0; index < 2; index++) {
    place[index] = given != NULL ? given[index] : (struct timespec){.tv_nsec = UTIME_NOW};
    if (place[index].tv_nsec == UTIME_NOW) clock_gettime(CLOCK_REALTIME, &place[index]);
    if (place[index].tv_nsec != UTIME_OMIT) note_set(&place[index]);
  }
  return place;
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  struct timespec place[2];
  return original_utimensat()(folder, path, noted(times, place), flags);
}

int futimens(int file, const struct timespec times[2]) {
  struct timespec place[2];
  return original_futimens()(file, noted(times, place));
}

static const struct timespec *precise(const struct timeval times[2], struct timespec *place) {
  if (times == NULL) return NULL;
  for (int index = 0; index < 2; index++) place[index] = (struct timespec){.tv_sec = times[index].tv_sec, .tv_nsec = times[index].tv_usec * 1000};
  return place;
}

int utimes(const char *path, const struct timeval times[2]) {
  struct timespec place[2];
  if (!is_captured()) return original_utimes()(path, times);
  return utimensat(AT_FDCWD, path, precise(times, place), 0);
}

int lutimes(const char *path, const struct timeval times[2]) {
  struct timespec place[2];
  if (!is_captured()) return original_lutimes()(path, times);
  return utimensat(AT_FDCWD, path, precise(times, place), AT_SYMLINK_NOFOLLOW);
}

int futimes(int file, const struct timeval times[2]) {
  struct timespec place[2];
  if (!is_captured()) return original_futimes()(file, times);
  return futimens(file, precise(times, place));
}

int futimesat(int folder, const char *path, const struct timeval times[2]) {
  struct timespec place[2];
  if (!is_captured()) return original_futimesat()(folder, path, times);
  return utimensat(folder, path, precise(times, place), 0);
}

int utime(const char *path, const struct utimbuf *times) {
  if (!is_captured()) return original_utime()(path, times);
  if (times == NULL) return utimensat(AT_FDCWD, path, NULL, 0);
  struct timespec place[2] = {{.tv_sec = times->actime}, {.tv_sec = times->modtime}};
  return utimensat(AT_FDCWD, path, place, 0);
}

#endif
