#define _GNU_SOURCE
#if defined(__linux__)

#include <sys/time.h>
#include <time.h>

#include "Original.h"

/* 1 January 2026, 00:00 UTC. */
static const int64_t epoch = 1767225600;
static const int64_t second = 1000000000;

/* Which clocks tell the date; all others began a second before the process, since Dispatch knows no time zero. */
static int tells_date(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static __typeof__(&clock_gettime) original;
  if (!earshot_process_is_captured) {
    if (original == NULL) original = ORIGINAL(clock_gettime);
    return original(clock, time);
  }
  int64_t now = earshot_process_now();
  time->tv_sec = now / second + (tells_date(clock) ? epoch : 1);
  time->tv_nsec = now % second;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  if (!earshot_process_is_captured) return ORIGINAL(gettimeofday)(time, zone);
  int64_t now = earshot_process_now();
  time->tv_sec = epoch + now / second;
  time->tv_usec = now % second / 1000;
  return 0;
}

time_t time(time_t *place) {
  if (!earshot_process_is_captured) return ORIGINAL(time)(place);
  time_t seconds = epoch + earshot_process_now() / second;
  if (place != NULL) *place = seconds;
  return seconds;
}

#endif
