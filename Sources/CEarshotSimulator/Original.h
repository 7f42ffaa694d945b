#ifndef ORIGINAL_H
#define ORIGINAL_H

#include <dlfcn.h>
#include <stdatomic.h>
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

/* Defines original_NAME(): the function that would have been called without this library, as a pointer of the type of its
   namesake here. It is looked up at the start, since a signal handler or a child between fork and exec must not, or
   earlier, if something else at the start calls it. */
#define ORIGINAL(name)                                                                          \
  static __typeof__(&name) original_##name(void) {                                              \
    static _Atomic(__typeof__(&name)) known;                                                    \
    __typeof__(&name) original = atomic_load_explicit(&known, memory_order_relaxed);            \
    if (original != NULL) return original;                                                      \
    original = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                      \
    atomic_store_explicit(&known, original, memory_order_relaxed);                              \
    return original;                                                                            \
  }                                                                                             \
  __attribute__((constructor)) static void look_up_##name(void) { (void)original_##name(); }

#endif
