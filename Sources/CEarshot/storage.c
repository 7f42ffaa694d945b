#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CEarshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

static void fill(struct earshot_attributes *attributes, const struct stat *record) {
#if defined(__APPLE__)
  struct timespec modified = record->st_mtimespec, changed = record->st_ctimespec;
#else
  struct timespec modified = record->st_mtim, changed = record->st_ctim;
#endif
  attributes->device = (uint64_t)record->st_dev;
  attributes->number = (uint64_t)record->st_ino;
  attributes->links = (uint64_t)record->st_nlink;
  attributes->bytes = (int64_t)record->st_size;
  attributes->stored_bytes = (int64_t)record->st_blocks * 512;
  attributes->modified_s = (int64_t)modified.tv_sec;
  attributes->modified_ns = (int64_t)modified.tv_nsec;
  attributes->changed_s = (int64_t)changed.tv_sec;
  attributes->changed_ns = (int64_t)changed.tv_nsec;
  attributes->is_file = S_ISREG(record->st_mode);
  attributes->is_folder = S_ISDIR(record->st_mode);
  attributes->is_executable = (record->st_mode & S_IXUSR) != 0;
}

int earshot_ask_attributes(int descriptor, struct earshot_attributes *attributes) {
  struct stat record;
  if (fstat(descriptor, &record) != 0) return -1;
  fill(attributes, &record);
  return 0;
}

int earshot_ask_attributes_at(
    int folder, const char *name, int follows, struct earshot_attributes *attributes) {
  struct stat record;
  if (fstatat(folder, name, &record, follows ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return -1;
  fill(attributes, &record);
  return 0;
}

int earshot_reserve(int file) { return flock(file, LOCK_EX | LOCK_NB); }

int earshot_release(int file) { return flock(file, LOCK_UN); }

int earshot_rename_exclusively(int folder, const char *name, const char *new_name) {
#if defined(__APPLE__)
  if (renameatx_np(folder, name, folder, new_name, RENAME_EXCL) == 0) return 0;
  if (errno != ENOTSUP && errno != EINVAL) return -1;
#elif defined(SYS_renameat2)
  const unsigned int no_replace = 1; /* RENAME_NOREPLACE; musl has no name for it. */
  if (syscall(SYS_renameat2, folder, name, folder, new_name, no_replace) == 0) return 0;
  if (errno != ENOSYS && errno != EINVAL) return -1;
#endif
  return earshot_rename_by_link(folder, name, new_name);
}

int earshot_rename_by_link(int folder, const char *name, const char *new_name) {
  if (linkat(folder, name, folder, new_name, 0) != 0) return -1;
  if (unlinkat(folder, name, 0) == 0) return 0;
  int failure = errno;
  unlinkat(folder, new_name, 0);
  errno = failure;
  return -1;
}

int64_t earshot_seek_data(int file, int64_t offset) { return lseek(file, offset, SEEK_DATA); }

int64_t earshot_seek_hole(int file, int64_t offset) { return lseek(file, offset, SEEK_HOLE); }

int earshot_set_modified(int file, int64_t seconds, long nanoseconds) {
  struct timespec times[2] = {
      {.tv_sec = 0, .tv_nsec = UTIME_OMIT},
      {.tv_sec = (time_t)seconds, .tv_nsec = nanoseconds},
  };
  return futimens(file, times);
}

int earshot_synchronize(int descriptor) {
#if defined(__APPLE__)
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0; /* fsync leaves bytes in the disk's own memory. */
  if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY) return -1;
#endif
  return fsync(descriptor);
}

void *earshot_open_names(int folder) {
  /* A descriptor of its own: reading moves its place in the folder. */
  int descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return NULL;
  DIR *names = fdopendir(descriptor);
  if (names) return names;
  int failure = errno;
  close(descriptor);
  errno = failure;
  return NULL;
}

const char *earshot_read_name(void *names) {
  errno = 0;
  struct dirent *entry = readdir(names);
  return entry ? entry->d_name : NULL;
}

void earshot_close_names(void *names) { closedir(names); }
