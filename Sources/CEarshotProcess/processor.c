#define _GNU_SOURCE
#if defined(__linux__)

#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "Original.h"

/* A processor of which a simulated process has had all the time of its world. */

ORIGINAL(clock)
ORIGINAL(times)
ORIGINAL(getrusage)
ORIGINAL(getcpu)
ORIGINAL(sched_getcpu)
ORIGINAL(sysconf)

/* The time of the world that is read as other clocks are, so that a loop that waits for it ends with a sentence. */
static int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (time.tv_sec - 1) * 1000000000 + time.tv_nsec;
}

clock_t clock(void) {
  if (!is_captured()) return original_clock()();
  return nanoseconds() / (1000000000 / CLOCKS_PER_SEC);
}

clock_t times(struct tms *times) {
  if (!is_captured()) return original_times()(times);
  clock_t ticks = nanoseconds() / (1000000000 / original_sysconf()(_SC_CLK_TCK));
  if (times != NULL) *times = (struct tms){.tms_utime = ticks};
  return ticks;
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
  if (!is_captured()) return original_getrusage()(who, usage);
  memset(usage, 0, sizeof *usage);
  if (who == RUSAGE_CHILDREN) return 0;
  int64_t time = nanoseconds();
  usage->ru_utime = (struct timeval){.tv_sec = time / 1000000000, .tv_usec = time % 1000000000 / 1000};
  return 0;
}

int getcpu(unsigned *processor, unsigned *node) {
  if (!is_captured()) return original_getcpu()(processor, node);
  if (processor != NULL) *processor = 0;
  if (node != NULL) *node = 0;
  return 0;
}

int sched_getcpu(void) { return is_captured() ? 0 : original_sched_getcpu()(); }

/* All memory is free. */
long sysconf(int name) {
  return original_sysconf()(name == _SC_AVPHYS_PAGES && is_captured() ? _SC_PHYS_PAGES : name);
}

long __sysconf(int name);
long __sysconf(int name) { return sysconf(name); }

#endif
