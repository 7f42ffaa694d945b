#define _GNU_SOURCE
#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "Original.h"

/* Locks and waiting without the C library: `Mutex` and the runtime of Swift, and Dispatch, lock so. */
static void check_futex(const void *caller, const long *a) {
  _Atomic uint32_t *place = (_Atomic uint32_t *)a[0];
  switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_LOCK_PI:
    case 13: /* FUTEX_LOCK_PI2 */
      if ((atomic_load(place) & FUTEX_TID_MASK) == (uint32_t)syscall(SYS_gettid)) {
        refuse(EARSHOT_REFUSED_LOCK, "syscall SYS_futex");
      }
      return;
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      if (atomic_load(place) != (uint32_t)a[2]) return; /* It will not wait. */
      if (is_of_runtime(caller)) return;                /* In a crash it waits for the process that reports it. */
      if ((a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT && is_zero((const struct timespec *)a[3])) return;
      refuse(EARSHOT_REFUSED_WAIT, "syscall SYS_futex");
      return;
    case FUTEX_WAIT_REQUEUE_PI: refuse(EARSHOT_REFUSED_WAIT, "syscall SYS_futex"); return;
    default: return;
  }
}

/* Those that have a function of the C library go there; SYS_gettid does not, since a futex holds that number. */
#define AS(number, call) \
  case number: *result = (long)(call); return 1;
#define REFUSED_CALL(reason, name) \
  case name: refuse(reason, "syscall " #name); return 0;

int earshot_process_call(const void *caller, long number, const long *a, long *result) {
  if (!is_captured()) return 0;
  if (number != SYS_futex && is_of_runtime(caller)) return 0;
  switch (number) {
    case SYS_futex: check_futex(caller, a); return 0;
#ifdef SYS_futex_waitv
    REFUSED_CALL(EARSHOT_REFUSED_WAIT, SYS_futex_waitv)
#endif
    AS(SYS_clock_gettime, clock_gettime((clockid_t)a[0], (struct timespec *)a[1]))
    AS(SYS_gettimeofday, gettimeofday((struct timeval *)a[0], (void *)a[1]))
#ifdef SYS_time
    AS(SYS_time, time((time_t *)a[0]))
    REFUSED_CALL(EARSHOT_REFUSED_TIMER, SYS_alarm)
    REFUSED_CALL(EARSHOT_REFUSED_WAIT, SYS_pause)
    REFUSED_CALL(EARSHOT_REFUSED_PROCESS, SYS_fork)
    REFUSED_CALL(EARSHOT_REFUSED_PROCESS, SYS_vfork)
    AS(SYS_poll, poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2]))
    AS(SYS_select, select((int)a[0], (fd_set *)a[1], (fd_set *)a[2], (fd_set *)a[3], (struct timeval *)a[4]))
    AS(SYS_epoll_wait, epoll_wait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3]))
    AS(SYS_getpgrp, getpgrp())
    AS(SYS_open, open((const char *)a[0], (int)a[1], (mode_t)a[2]))
    AS(SYS_stat, stat((const char *)a[0], (struct stat *)a[1]))
    AS(SYS_lstat, lstat((const char *)a[0], (struct stat *)a[1]))
#endif
    AS(SYS_fstat, fstat((int)a[0], (struct stat *)a[1]))
#ifdef SYS_newfstatat
    AS(SYS_newfstatat, fstatat((int)a[0], (const char *)a[1], (struct stat *)a[2], (int)a[3]))
#endif
    AS(SYS_statx, statx((int)a[0], (const char *)a[1], (int)a[2], (unsigned)a[3], (struct statx *)a[4]))
    AS(SYS_openat, openat((int)a[0], (const char *)a[1], (int)a[2], (mode_t)a[3]))
    AS(SYS_getpid, getpid())
    AS(SYS_getppid, getppid())
    AS(SYS_getpgid, getpgid((pid_t)a[0]))
    AS(SYS_getsid, getsid((pid_t)a[0]))
    AS(SYS_kill, kill((pid_t)a[0], (int)a[1]))
    AS(SYS_tgkill, tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]))
    AS(SYS_times, times((struct tms *)a[0]))
    AS(SYS_getrusage, getrusage((__rusage_who_t)a[0], (struct rusage *)a[1]))
    AS(SYS_getcpu, getcpu((unsigned *)a[0], (unsigned *)a[1]))
    AS(SYS_setsockopt, setsockopt((int)a[0], (int)a[1], (int)a[2], (const void *)a[3], (socklen_t)a[4]))
    REFUSED_CALL(EARSHOT_REFUSED_SLEEP, SYS_nanosleep)
    REFUSED_CALL(EARSHOT_REFUSED_SLEEP, SYS_clock_nanosleep)
    REFUSED_CALL(EARSHOT_REFUSED_WAIT, SYS_ppoll)
    REFUSED_CALL(EARSHOT_REFUSED_WAIT, SYS_pselect6)
    REFUSED_CALL(EARSHOT_REFUSED_WAIT, SYS_epoll_pwait)
#ifdef SYS_epoll_pwait2
    REFUSED_CALL(EARSHOT_REFUSED_WAIT, SYS_epoll_pwait2)
#endif
    REFUSED_CALL(EARSHOT_REFUSED_WAIT, SYS_rt_sigtimedwait)
    REFUSED_CALL(EARSHOT_REFUSED_WAIT, SYS_rt_sigsuspend)
    REFUSED_CALL(EARSHOT_REFUSED_TIMER, SYS_setitimer)
    REFUSED_CALL(EARSHOT_REFUSED_TIMER, SYS_timer_create)
    REFUSED_CALL(EARSHOT_REFUSED_TIMER, SYS_timerfd_create)
    REFUSED_CALL(EARSHOT_REFUSED_CLOCK, SYS_clock_settime)
    REFUSED_CALL(EARSHOT_REFUSED_CLOCK, SYS_clock_adjtime)
    REFUSED_CALL(EARSHOT_REFUSED_CLOCK, SYS_adjtimex)
    REFUSED_CALL(EARSHOT_REFUSED_PROCESS, SYS_clone)
    REFUSED_CALL(EARSHOT_REFUSED_PROCESS, SYS_clone3)
    REFUSED_CALL(EARSHOT_REFUSED_PROCESS, SYS_execve)
    REFUSED_CALL(EARSHOT_REFUSED_PROCESS, SYS_execveat)
    REFUSED_CALL(EARSHOT_REFUSED_GROUP, SYS_setsid)
    REFUSED_CALL(EARSHOT_REFUSED_GROUP, SYS_setpgid)
    REFUSED_CALL(EARSHOT_REFUSED_SOCKET, SYS_socket)
    REFUSED_CALL(EARSHOT_REFUSED_SOCKET, SYS_socketpair)
    REFUSED_CALL(EARSHOT_REFUSED_LOAD, SYS_sysinfo)
    default: return 0;
  }
}

#endif
