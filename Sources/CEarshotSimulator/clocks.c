#define _GNU_SOURCE
#if defined(__linux__)

#include "Original.h"

#include <stddef.h>
#include <sys/time.h>
#include <time.h>

ORIGINAL(clock_gettime)
ORIGINAL(gettimeofday)
ORIGINAL(time)
ORIGINAL(timespec_get)

static const int64_t epoch = EARSHOT_EPOCH;
static const int64_t second = 1000000000;

/* What a clock counts from: the beginning of dates; or a second before that of the world, since Dispatch knows no time
   zero. Clocks of processors count what the processor has done, and are the system's, unless the whole process is a
   world's. */
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
    default: return earshot_system_call_answer != NULL ? UPTIME : OF_THE_SYSTEM;
  }
}

/* libFuzzer asks how long an input has taken, in a signal handler that may interrupt code of a world. */
extern int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*run)(const uint8_t *bytes, size_t size))
    __attribute__((weak));

static int is_answered(void) { return earshot_world != NULL && &LLVMFuzzerRunDriver == NULL; }

static _Thread_local int64_t last_reading;
static _Thread_local uint32_t readings;

void earshot_clock_readings_reset(void) { readings = 0; }

/* The time of the world, which does not pass while code reads it. */
static int64_t now(void) {
  int64_t time = earshot_calls.now(earshot_world);
  readings = time == last_reading ? readings + 1 : 0;
  last_reading = time;
  if (readings <= EARSHOT_CLOCK_READS_MAX) return time;
  readings = EARSHOT_CLOCK_READS_MAX;
  return time + earshot_calls.stuck(earshot_world);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  enum kind of = is_answered() ? kind(clock) : OF_THE_SYSTEM;
  if (of == OF_THE_SYSTEM) return original_clock_gettime()(clock, time);
  int64_t nanoseconds = now();
  time->tv_sec = nanoseconds / second + (of == DATE ? epoch : 1);
  time->tv_nsec = nanoseconds % second;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  if (!is_answered()) return original_gettimeofday()(time, zone);
  int64_t nanoseconds = now();
  time->tv_sec = epoch + nanoseconds / second;
  time->tv_usec = nanoseconds % second / 1000;
  return 0;
}

int timespec_get(struct timespec *time, int base) {
  if (!is_answered() || base != TIME_UTC) return original_timespec_get()(time, base);
  clock_gettime(CLOCK_REALTIME, time);
  return base;
}

time_t time(time_t *place) {
  if (!is_answered()) return original_time()(place);
  time_t seconds = epoch + now() / second;
  if (place != NULL) *place = seconds;
  return seconds;
}

#else

#include "CEarshotSimulator.h"

void earshot_clock_readings_reset(void) {}

#endif
