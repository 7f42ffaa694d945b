#ifndef ORIGINAL_H
#define ORIGINAL_H

#if defined(__linux__)

#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

#include "CEarshotProcess.h"
#include "CEarshotSimulator.h"

/* A pointer or an integer: arguments of functions that only pass them on. */
typedef long word;

extern int earshot_process_is_set_up;
extern earshot_process_refusal earshot_process_refusing;

/* Whether the process is simulated, and the calling thread runs code of its world. */
static inline int is_captured(void) { return earshot_process_is_set_up && earshot_system_is_answered(); }

/* Ends the process, with the name of the function that was called, and does not return. */
void earshot_process_refuse(int reason, const char *what);

/* Ends the process if it is simulated. */
static inline void refuse(int reason, const char *what) {
  if (is_captured()) earshot_process_refuse(reason, what);
}

/* Whether a time to wait is none at all. */
static inline int is_zero(const struct timespec *time) {
  return time != NULL && time->tv_sec == 0 && time->tv_nsec == 0;
}

/* The runtime of Swift, which has the report of a crash written by another process. */
static inline int is_of_runtime(const void *caller) { return earshot_is_in_library(caller, "libswiftCore"); }

/* Answers calls of syscall(2). */
int earshot_process_call(const void *caller, long number, const long *arguments, long *result);

/* Of several versions of a function in a library, that without a name for it may be the oldest. */
#if defined(__x86_64__)
#define ORIGINAL_CONDITION(name) ORIGINAL_FOUND(name, dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2"))
#else
#define ORIGINAL_CONDITION(name) ORIGINAL(name)
#endif

/* A function that is refused whatever its arguments are, which are at most six. Its symbol is not its name here, since its
   declaration is another one. */
#define REFUSED_UNLESS(is_let_through, reason, name)                                            \
  static word (*original_##name)(word, word, word, word, word, word);                           \
  __attribute__((constructor)) static void look_up_##name(void) {                               \
    *(void **)&original_##name = dlsym(RTLD_NEXT, #name);                                       \
  }                                                                                             \
  word refused_##name(word a, word b, word c, word d, word e, word f) __asm__(#name);           \
  word refused_##name(word a, word b, word c, word d, word e, word f) {                         \
    if (!(is_let_through)) refuse(reason, #name);                                               \
    if (original_##name == NULL) look_up_##name();                                              \
    return original_##name(a, b, c, d, e, f);                                                   \
  }
#define REFUSED(reason, name) REFUSED_UNLESS(0, reason, name)

#endif
#endif
