#include "CEarshotTLS.h"

void earshot_file_times(const struct stat *status, struct timespec *modified, struct timespec *changed) {
#ifdef __APPLE__
  *modified = status->st_mtimespec;
  *changed = status->st_ctimespec;
#else
  *modified = status->st_mtim;
  *changed = status->st_ctim;
#endif
}
