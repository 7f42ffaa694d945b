#define _GNU_SOURCE
#if defined(__linux__)

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "Original.h"

/* Threads. */

ORIGINAL(pthread_create)

/* Names where a thread would begin: the function, if it has a name, or the library. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *argument) {
  if (is_captured()) {
    char text[512];
    Dl_info place;
    int is_known = dladdr((void *)begin, &place) != 0;
    snprintf(text, sizeof text, "pthread_create of %s in %s",
             is_known && place.dli_sname != NULL ? place.dli_sname : "a function",
             is_known && place.dli_fname != NULL ? place.dli_fname : "the program");
    refuse(EARSHOT_REFUSED_THREAD, text);
  }
  return original_pthread_create()(thread, attributes, begin, argument);
}

REFUSED(EARSHOT_REFUSED_THREAD, thrd_create)
REFUSED(EARSHOT_REFUSED_WAIT, pthread_barrier_wait)

/* Sleeping. */

REFUSED(EARSHOT_REFUSED_SLEEP, nanosleep)
REFUSED(EARSHOT_REFUSED_SLEEP, clock_nanosleep)
REFUSED(EARSHOT_REFUSED_SLEEP, usleep)
REFUSED(EARSHOT_REFUSED_SLEEP, sleep)
REFUSED(EARSHOT_REFUSED_SLEEP, thrd_sleep)

/* Conditions: where only one thread is, a wait is one for ever, or for real time. */

ORIGINAL_CONDITION(pthread_cond_wait)
ORIGINAL_CONDITION(pthread_cond_timedwait)

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  refuse(EARSHOT_REFUSED_WAIT, "pthread_cond_wait");
  return original_pthread_cond_wait()(condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
  refuse(EARSHOT_REFUSED_WAIT, "pthread_cond_timedwait");
  return original_pthread_cond_timedwait()(condition, mutex, time);
}

REFUSED(EARSHOT_REFUSED_WAIT, pthread_cond_clockwait)
REFUSED(EARSHOT_REFUSED_WAIT, cnd_wait)
REFUSED(EARSHOT_REFUSED_WAIT, cnd_timedwait)

/* Whether something is ready may be asked, waited for it may not be. */

ORIGINAL(poll)
ORIGINAL(ppoll)
ORIGINAL(select)
ORIGINAL(pselect)
ORIGINAL(epoll_wait)
ORIGINAL(epoll_pwait)

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
  if (milliseconds != 0) refuse(EARSHOT_REFUSED_WAIT, "poll");
  return original_poll()(descriptors, count, milliseconds);
}

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *time, const sigset_t *signals) {
  if (!is_zero(time)) refuse(EARSHOT_REFUSED_WAIT, "ppoll");
  return original_ppoll()(descriptors, count, time, signals);
}

int select(int count, fd_set *reads, fd_set *writes, fd_set *exceptions, struct timeval *time) {
  if (time == NULL || time->tv_sec != 0 || time->tv_usec != 0) refuse(EARSHOT_REFUSED_WAIT, "select");
  return original_select()(count, reads, writes, exceptions, time);
}

int pselect(int count, fd_set *reads, fd_set *writes, fd_set *exceptions, const struct timespec *time,
            const sigset_t *signals) {
  if (!is_zero(time)) refuse(EARSHOT_REFUSED_WAIT, "pselect");
  return original_pselect()(count, reads, writes, exceptions, time, signals);
}

int epoll_wait(int poll, struct epoll_event *events, int capacity, int milliseconds) {
  if (milliseconds != 0) refuse(EARSHOT_REFUSED_WAIT, "epoll_wait");
  return original_epoll_wait()(poll, events, capacity, milliseconds);
}

int epoll_pwait(int poll, struct epoll_event *events, int capacity, int milliseconds, const sigset_t *signals) {
  if (milliseconds != 0) refuse(EARSHOT_REFUSED_WAIT, "epoll_pwait");
  return original_epoll_pwait()(poll, events, capacity, milliseconds, signals);
}

#if __GLIBC_PREREQ(2, 35)
ORIGINAL(epoll_pwait2)

int epoll_pwait2(int poll, struct epoll_event *events, int capacity, const struct timespec *time,
                 const sigset_t *signals) {
  if (!is_zero(time)) refuse(EARSHOT_REFUSED_WAIT, "epoll_pwait2");
  return original_epoll_pwait2()(poll, events, capacity, time, signals);
}
#endif

/* Signals. */

ORIGINAL(sigtimedwait)

int sigtimedwait(const sigset_t *restrict signals, siginfo_t *restrict signal, const struct timespec *restrict time) {
  if (!is_zero(time)) refuse(EARSHOT_REFUSED_WAIT, "sigtimedwait");
  return original_sigtimedwait()(signals, signal, time);
}

REFUSED(EARSHOT_REFUSED_WAIT, sigwaitinfo)
REFUSED(EARSHOT_REFUSED_WAIT, sigwait)
REFUSED(EARSHOT_REFUSED_WAIT, sigsuspend)
REFUSED(EARSHOT_REFUSED_WAIT, sigpause)
REFUSED(EARSHOT_REFUSED_WAIT, __xpg_sigpause)
REFUSED(EARSHOT_REFUSED_WAIT, pause)

/* Timers. */

REFUSED(EARSHOT_REFUSED_TIMER, alarm)
REFUSED(EARSHOT_REFUSED_TIMER, ualarm)
REFUSED(EARSHOT_REFUSED_TIMER, setitimer)
REFUSED(EARSHOT_REFUSED_TIMER, timer_create)
REFUSED(EARSHOT_REFUSED_TIMER, timerfd_create)
REFUSED(EARSHOT_REFUSED_TIMER, profil)

/* Clocks, and what else the C library reads past every definition of this library. */

REFUSED(EARSHOT_REFUSED_CLOCK, clock_settime)
REFUSED(EARSHOT_REFUSED_CLOCK, clock_adjtime)
REFUSED(EARSHOT_REFUSED_CLOCK, settimeofday)
REFUSED(EARSHOT_REFUSED_CLOCK, adjtime)
REFUSED(EARSHOT_REFUSED_CLOCK, adjtimex)
REFUSED(EARSHOT_REFUSED_CLOCK, ntp_gettime)
REFUSED(EARSHOT_REFUSED_CLOCK, ntp_gettimex)
REFUSED(EARSHOT_REFUSED_CLOCK, getdate)
REFUSED(EARSHOT_REFUSED_CLOCK, getdate_r)
REFUSED(EARSHOT_REFUSED_LOAD, getloadavg)
REFUSED(EARSHOT_REFUSED_LOAD, sysinfo)
REFUSED(EARSHOT_REFUSED_LOAD, get_avphys_pages)

/* Sockets. */

ORIGINAL(setsockopt)

int setsockopt(int socket, int level, int option, const void *value, socklen_t size) {
  if (level == SOL_SOCKET) {
    if (option == SO_RCVTIMEO) refuse(EARSHOT_REFUSED_TIMEOUT, "setsockopt SO_RCVTIMEO");
    if (option == SO_SNDTIMEO) refuse(EARSHOT_REFUSED_TIMEOUT, "setsockopt SO_SNDTIMEO");
  }
  return original_setsockopt()(socket, level, option, value, size);
}

REFUSED(EARSHOT_REFUSED_SOCKET, socket)
REFUSED_UNLESS(is_of_runtime(__builtin_return_address(0)), EARSHOT_REFUSED_SOCKET, socketpair)

/* Dispatch: a program that does without it has no original, and no caller either. */

REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_async)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_async_f)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_after)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_after_f)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_barrier_async)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_barrier_async_f)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_group_async)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_group_async_f)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_group_notify)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_group_notify_f)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_source_create)
REFUSED(EARSHOT_REFUSED_DISPATCH, dispatch_main)

/* Whether a time has come; 0 has (DISPATCH_TIME_NOW), and what is negative is a date, or never. */
static int has_come(word time) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return time >= 0 && time <= now.tv_sec * 1000000000 + now.tv_nsec;
}

/* What waits is refused only if it would wait. */

#define WAITS(name)                                                \
  word name(word object, word time);                               \
  ORIGINAL(name)                                                   \
  word name(word object, word time) {                              \
    if (!is_captured()) return original_##name()(object, time);    \
    word is_late = original_##name()(object, 0);                   \
    if (is_late && !has_come(time)) refuse(EARSHOT_REFUSED_WAIT, #name); \
    return is_late;                                                \
  }
WAITS(dispatch_semaphore_wait)
WAITS(dispatch_group_wait)

#endif
