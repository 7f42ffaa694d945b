#ifndef ORIGINAL_H
#define ORIGINAL_H

#if defined(__linux__)

#include <dlfcn.h>
#include <stdint.h>

#include "CEarshotProcess.h"

/* Whether the process is simulated. */
extern int earshot_process_is_captured;
extern earshot_process_clock earshot_process_now;
extern earshot_process_refusal earshot_process_refuse;

/* The function that would have been called without this library, as a pointer of the type of its namesake here. */
#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#endif
#endif
