#define _GNU_SOURCE
#if defined(__linux__)

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "Original.h"

/* Ends the process if it is simulated, with the name of the function that was called. */
static void refuse(const char *what) {
  if (earshot_process_is_captured) earshot_process_refuse(what);
}

/* Names where a thread would begin: the function, if it has a name, or the library. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *argument) {
  if (earshot_process_is_captured) {
    char text[512];
    Dl_info place;
    int is_known = dladdr((void *)begin, &place) != 0;
    snprintf(text, sizeof text, "pthread_create of %s in %s",
             is_known && place.dli_sname != NULL ? place.dli_sname : "a function",
             is_known && place.dli_fname != NULL ? place.dli_fname : "the program");
    refuse(text);
  }
  return ORIGINAL(pthread_create)(thread, attributes, begin, argument);
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
  refuse("nanosleep");
  return ORIGINAL(nanosleep)(time, rest);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
  refuse("clock_nanosleep");
  return ORIGINAL(clock_nanosleep)(clock, flags, time, rest);
}

int usleep(useconds_t time) {
  refuse("usleep");
  return ORIGINAL(usleep)(time);
}

unsigned sleep(unsigned seconds) {
  refuse("sleep");
  return ORIGINAL(sleep)(seconds);
}

/* Conditions: where only one thread is, a wait is one for ever, or for real time. Of several versions of these functions
   in a library, that without a name for it may be the oldest. */
#if defined(__x86_64__)
#define CONDITION(name) ((__typeof__(&name))dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2"))
#else
#define CONDITION(name) ORIGINAL(name)
#endif

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  refuse("pthread_cond_wait");
  return CONDITION(pthread_cond_wait)(condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
  refuse("pthread_cond_timedwait");
  return CONDITION(pthread_cond_timedwait)(condition, mutex, time);
}

/* Whether something is ready may be asked, waited for it may not be. */
int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
  if (milliseconds != 0) refuse("poll");
  return ORIGINAL(poll)(descriptors, count, milliseconds);
}

int select(int count, fd_set *reads, fd_set *writes, fd_set *exceptions, struct timeval *time) {
  if (time == NULL || time->tv_sec != 0 || time->tv_usec != 0) refuse("select");
  return ORIGINAL(select)(count, reads, writes, exceptions, time);
}

int epoll_wait(int poll, struct epoll_event *events, int capacity, int milliseconds) {
  if (milliseconds != 0) refuse("epoll_wait");
  return ORIGINAL(epoll_wait)(poll, events, capacity, milliseconds);
}

unsigned alarm(unsigned seconds) {
  refuse("alarm");
  return ORIGINAL(alarm)(seconds);
}

int socket(int family, int type, int protocol) {
  refuse("socket");
  return ORIGINAL(socket)(family, type, protocol);
}

int timerfd_create(int clock, int flags) {
  refuse("timerfd_create");
  return ORIGINAL(timerfd_create)(clock, flags);
}

/* Dispatch: a program that does without it has no original, and no caller either. All arguments are pointers or
   integers of 64 bits. */
typedef long word;
#define REFUSED(name)                            \
  word name(word a, word b, word c, word d);     \
  word name(word a, word b, word c, word d) {    \
    refuse(#name);                               \
    return ORIGINAL(name)(a, b, c, d);           \
  }
REFUSED(dispatch_async)
REFUSED(dispatch_async_f)
REFUSED(dispatch_after)
REFUSED(dispatch_after_f)
REFUSED(dispatch_barrier_async)
REFUSED(dispatch_barrier_async_f)
REFUSED(dispatch_group_async)
REFUSED(dispatch_group_async_f)
REFUSED(dispatch_group_notify)
REFUSED(dispatch_group_notify_f)
REFUSED(dispatch_source_create)
REFUSED(dispatch_main)

/* Whether a time has come; 0 has (DISPATCH_TIME_NOW), and what is negative is a date, or never. */
static int has_come(word time) { return time >= 0 && time <= earshot_process_now() + 1000000000; }

/* What waits is refused only if it would wait. */

#define WAITS(name)                                              \
  word name(word object, word time);                             \
  word name(word object, word time) {                            \
    if (!earshot_process_is_captured) return ORIGINAL(name)(object, time); \
    word is_late = ORIGINAL(name)(object, 0);                    \
    if (is_late && !has_come(time)) refuse(#name);               \
    return is_late;                                              \
  }
WAITS(dispatch_semaphore_wait)
WAITS(dispatch_group_wait)

#endif
