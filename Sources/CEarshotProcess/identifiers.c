#define _GNU_SOURCE
#if defined(__linux__)

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "Original.h"

/* Numbers that the kernel gives to no process, so that none is meant if one of them gets past this library. */
enum { PROCESS = 4194305, PARENT = 4194304 };

ORIGINAL(getpid)
ORIGINAL(gettid)
ORIGINAL(getppid)
ORIGINAL(getpgrp)
ORIGINAL(getpgid)
ORIGINAL(getsid)
ORIGINAL(tcgetpgrp)
ORIGINAL(kill)
ORIGINAL(killpg)
ORIGINAL(sigqueue)
ORIGINAL(tgkill)

static int is_answered(void *caller) { return is_captured() && !is_of_runtime(caller); }

/* The process that is meant by a number. */
static pid_t real(pid_t process) {
  if (!is_captured()) return process;
  switch (process) {
    case PROCESS: return original_getpid()();
    case -PROCESS: return -original_getpgrp()();
    case PARENT: return original_getppid()();
    default: return process;
  }
}

pid_t getpid(void) { return is_answered(__builtin_return_address(0)) ? PROCESS : original_getpid()(); }
pid_t gettid(void) { return is_answered(__builtin_return_address(0)) ? PROCESS : original_gettid()(); }
pid_t getppid(void) { return is_answered(__builtin_return_address(0)) ? PARENT : original_getppid()(); }

/* The process leads a group in the session of its parent. */
static int is_own(pid_t process) { return is_captured() && (process == 0 || process == PROCESS); }

pid_t getpgrp(void) { return is_captured() ? PROCESS : original_getpgrp()(); }
pid_t getpgid(pid_t process) { return is_own(process) ? PROCESS : original_getpgid()(real(process)); }
pid_t __getpgid(pid_t process) { return getpgid(process); }
pid_t getsid(pid_t process) { return is_own(process) ? PARENT : original_getsid()(real(process)); }

pid_t tcgetpgrp(int terminal) {
  pid_t group = original_tcgetpgrp()(terminal);
  return is_captured() && group == original_getpgrp()() ? PROCESS : group;
}

int kill(pid_t process, int signal) { return original_kill()(real(process), signal); }

int killpg(pid_t group, int signal) {
  return original_killpg()(is_captured() && group == PROCESS ? original_getpgrp()() : group, signal);
}

int sigqueue(pid_t process, int signal, const union sigval value) {
  return original_sigqueue()(real(process), signal, value);
}

int tgkill(pid_t process, pid_t thread, int signal) {
  return original_tgkill()(real(process), is_captured() && thread == PROCESS ? original_gettid()() : thread, signal);
}

#endif
