#define _GNU_SOURCE
#if defined(__linux__)

#include <dirent.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <unistd.h>

#include "Original.h"

int earshot_process_is_set_up;
earshot_process_refusal earshot_process_refusing;

void earshot_process_capture(earshot_process_refusal refusing) {
  earshot_process_refusing = refusing;
  earshot_process_is_set_up = 1;
  earshot_system_capture(earshot_process_call);
}

void earshot_process_refuse(int reason, const char *what) {
  earshot_process_is_set_up = 0; /* Last words are the system's business. */
  earshot_process_refusing(reason, what);
  abort();
}

int earshot_process_thread_count(void) {
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return 1;
  int count = 0;
  struct dirent *entry;
  while ((entry = readdir(threads)) != NULL) count += entry->d_name[0] != '.';
  closedir(threads);
  return count;
}

void earshot_process_restart(char **arguments) {
  static const char mark[] = "EARSHOT_PROCESS_RESTARTED";
  if (getenv(mark) != NULL) {
    unsetenv(mark); /* Programs that this one starts are others. */
    return;
  }
  setenv(mark, "1", 1);
  int before = personality(0xFFFFFFFF);
  if (before != -1) personality((unsigned long)before | ADDR_NO_RANDOMIZE);
  execv("/proc/self/exe", arguments);
}

#endif
