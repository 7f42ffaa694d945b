#define _GNU_SOURCE
#if defined(__linux__)

#include "Original.h"

#include <sys/time.h>
#include <time.h>

/* 1 January 2026, 00:00 UTC. */
static const int64_t epoch = 1767225600;
static const int64_t second = 1000000000;

/* What a clock counts from: the beginning of dates; or a second before that of the world, since Dispatch knows no time
   zero. Clocks of processors count what the processor has done, and are the system's. */
enum kind { OF_THE_SYSTEM, DATE, UPTIME };

static enum kind kind(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: return DATE;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: return UPTIME;
    default: return OF_THE_SYSTEM;
  }
}

/* The time of the world, which does not pass while code reads it. */
static int64_t now(void) {
  static _Thread_local int64_t before;
  static _Thread_local uint32_t reads;
  int64_t time = earshot_system.now(earshot_system_context);
  reads = time == before ? reads + 1 : 0;
  before = time;
  if (reads > EARSHOT_CLOCK_READS_MAX) earshot_system.stuck(earshot_system_context);
  return time;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  enum kind of = earshot_system_context == NULL ? OF_THE_SYSTEM : kind(clock);
  if (of == OF_THE_SYSTEM) return ORIGINAL(clock_gettime)(clock, time);
  int64_t nanoseconds = now();
  time->tv_sec = nanoseconds / second + (of == DATE ? epoch : 1);
  time->tv_nsec = nanoseconds % second;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  if (earshot_system_context == NULL) return ORIGINAL(gettimeofday)(time, zone);
  int64_t nanoseconds = now();
  time->tv_sec = epoch + nanoseconds / second;
  time->tv_usec = nanoseconds % second / 1000;
  return 0;
}

time_t time(time_t *place) {
  if (earshot_system_context == NULL) return ORIGINAL(time)(place);
  time_t seconds = epoch + now() / second;
  if (place != NULL) *place = seconds;
  return seconds;
}

#endif
