#ifndef CEARSHOTSIMULATOR_H
#define CEARSHOTSIMULATOR_H

#include <stdint.h>

#include "CEarshotEscapes.h"

/* Time and chance of the system, answered by a world on the thread that drives it. An executable that is linked with
   this defines the functions of the C library that ask for them; on all other threads each goes on to the original.
   Linux only; elsewhere, and where the C library is linked statically, nothing is answered. */

/* What a world answers with. The context is that of earshot_system_answer. */
typedef struct {
  /* The time in nanoseconds since the beginning of the world. */
  int64_t (*now)(const void *context);
  /* Fills bytes with random numbers. */
  void (*draw)(const void *context, uint8_t *bytes, uint64_t count);
  /* Ends the process: code has read a clock so often at one instant that it waits for the time to pass. */
  void (*stuck)(const void *context);
} earshot_system_answers;

/* Has the answers come from these functions. To be called once, before any answer. */
void earshot_system_install(const earshot_system_answers *answers);

/* Has the calling thread get its answers with a context, or from the system with NULL. Returns the context before. */
const void *earshot_system_answer(const void *context);

/* How often a clock may be read at one instant. */
enum { EARSHOT_CLOCK_READS_MAX = 20000000 };

/* Whether the order of sets and dictionaries is the same in every process, as it is where this library is linked, with the
   shared libraries of Swift. It stays random where the program has defined earshot_hashing_is_random, and that says so. */
int earshot_hashing_is_deterministic(void);

#endif
