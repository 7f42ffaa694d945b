#ifndef ORIGINAL_H
#define ORIGINAL_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>

#include "CEarshotSimulator.h"

/* What the calling thread gets its answers with; NULL for the system's. */
extern _Thread_local const void *earshot_system_context;
extern earshot_system_answers earshot_system;

/* The function that would have been called without this library, as a pointer of the type of its namesake here. */
#define ORIGINAL(name)                                                                 \
  ({                                                                                   \
    static _Atomic(__typeof__(&name)) known;                                           \
    __typeof__(&name) original = atomic_load_explicit(&known, memory_order_relaxed);   \
    if (original == NULL) {                                                            \
      original = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                           \
      atomic_store_explicit(&known, original, memory_order_relaxed);                   \
    }                                                                                  \
    original;                                                                          \
  })

#endif
