#include "CEarshotTLS.h"
#include <sys/stat.h>
#include <time.h>

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

void earshot_file_times(const void *status, int64_t *modified, int64_t *changed) {
  const struct stat *file = status;
#ifdef __APPLE__
  *modified = nanoseconds(file->st_mtimespec);
  *changed = nanoseconds(file->st_ctimespec);
#else
  *modified = nanoseconds(file->st_mtim);
  *changed = nanoseconds(file->st_ctim);
#endif
}
