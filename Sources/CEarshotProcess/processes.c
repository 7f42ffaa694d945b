#define _GNU_SOURCE
#if defined(__linux__)

#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "Original.h"

REFUSED(EARSHOT_REFUSED_PROCESS, fork)
REFUSED(EARSHOT_REFUSED_PROCESS, _Fork)
REFUSED(EARSHOT_REFUSED_PROCESS, system)
REFUSED(EARSHOT_REFUSED_PROCESS, popen)
REFUSED(EARSHOT_REFUSED_PROCESS, posix_spawn)
REFUSED(EARSHOT_REFUSED_PROCESS, posix_spawnp)
REFUSED(EARSHOT_REFUSED_PROCESS, daemon)
REFUSED(EARSHOT_REFUSED_PROCESS, forkpty)
REFUSED(EARSHOT_REFUSED_PROCESS, execv)
REFUSED(EARSHOT_REFUSED_PROCESS, execve)
REFUSED(EARSHOT_REFUSED_PROCESS, execvp)
REFUSED_UNLESS(is_of_runtime(__builtin_return_address(0)), EARSHOT_REFUSED_PROCESS, execvpe)
REFUSED(EARSHOT_REFUSED_PROCESS, execveat)
REFUSED(EARSHOT_REFUSED_PROCESS, fexecve)
REFUSED(EARSHOT_REFUSED_PROCESS, wordexp)

/* A child that returned from here would spoil the stack that it shares with its parent. */
word refused_vfork(void) __asm__("vfork");
word refused_vfork(void) {
  refuse(EARSHOT_REFUSED_PROCESS, "vfork");
  return fork();
}

ORIGINAL(clone)

/* All that may follow are four pointers, whatever of them a caller gives. */
int clone(int (*begin)(void *), void *stack, int flags, void *argument, ...) {
  if (!is_of_runtime(__builtin_return_address(0))) refuse(EARSHOT_REFUSED_PROCESS, "clone");
  va_list list;
  va_start(list, argument);
  void *parent = va_arg(list, void *), *storage = va_arg(list, void *), *child = va_arg(list, void *);
  va_end(list);
  return original_clone()(begin, stack, flags, argument, parent, storage, child);
}

/* The arguments of a list that ends with NULL as an array, on the stack. */
#define COLLECT(first)                                                         \
  va_list list, counted;                                                       \
  va_start(list, first);                                                       \
  va_copy(counted, list);                                                      \
  size_t count = 1;                                                            \
  for (const char *next = first; next != NULL; count++) next = va_arg(counted, const char *); \
  va_end(counted);                                                             \
  char **arguments = alloca(count * sizeof *arguments);                        \
  arguments[0] = (char *)first;                                                \
  for (size_t index = 1; index < count; index++) arguments[index] = va_arg(list, char *);

int execl(const char *path, const char *first, ...) {
  refuse(EARSHOT_REFUSED_PROCESS, "execl");
  COLLECT(first)
  va_end(list);
  return execv(path, arguments);
}

int execlp(const char *file, const char *first, ...) {
  refuse(EARSHOT_REFUSED_PROCESS, "execlp");
  COLLECT(first)
  va_end(list);
  return execvp(file, arguments);
}

int execle(const char *path, const char *first, ...) {
  refuse(EARSHOT_REFUSED_PROCESS, "execle");
  COLLECT(first)
  char **environment = va_arg(list, char **);
  va_end(list);
  return execve(path, arguments, environment);
}

REFUSED(EARSHOT_REFUSED_GROUP, setsid)
REFUSED(EARSHOT_REFUSED_GROUP, setpgid)
REFUSED(EARSHOT_REFUSED_GROUP, setpgrp)
REFUSED(EARSHOT_REFUSED_GROUP, tcsetpgrp)

#endif
