#ifndef ORIGINAL_H
#define ORIGINAL_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "CEarshotSimulator.h"

/* The world that the calling thread drives; NULL for none. */
extern _Thread_local const void *earshot_world;
extern earshot_world_calls earshot_calls;

/* Set if the whole process is a world's. */
extern earshot_system_call earshot_system_call_answer;

/* Whether the calling thread gets random numbers from a world. OpenSSL does not: it keeps what it draws for the whole
   process, whose other threads may have secrets. */
static inline int earshot_chance_is_answered(const void *caller) {
  return earshot_world != NULL && !earshot_is_in_library(caller, "libcrypto");
}

/* Fills bytes with random numbers of the world. */
static inline void earshot_draw(void *bytes, size_t count) {
  earshot_calls.draw(earshot_world, bytes, count);
}

#endif
