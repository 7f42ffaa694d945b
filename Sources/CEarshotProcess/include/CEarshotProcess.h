#ifndef CEARSHOTPROCESS_H
#define CEARSHOTPROCESS_H

/* Functions of the C library and of Dispatch that a simulated process must not reach. An executable that is linked
   with this defines them itself, so that libraries find them here first. Until earshot_process_capture, each goes on
   to the original. */

#if defined(__linux__)

#include <stdint.h>

/* The virtual time in nanoseconds. */
typedef int64_t (*earshot_process_clock)(void);

/* Ends the process with a message: what was called cannot be simulated. */
typedef void (*earshot_process_refusal)(const char *what);

/* From now on what cannot be simulated is refused. */
void earshot_process_capture(earshot_process_clock clock, earshot_process_refusal refuse);

/* The number of threads of the process. */
int earshot_process_thread_count(void);

/* Starts the program anew, once, with addresses that are the same in each run, as far as the system allows that. Returns
   if that has happened, or cannot. */
void earshot_process_restart(char **arguments);

#endif
#endif
