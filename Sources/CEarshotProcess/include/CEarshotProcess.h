#ifndef CEARSHOTPROCESS_H
#define CEARSHOTPROCESS_H

/* Functions of the C library and of Dispatch that a simulated process must not reach, or that would differ in each run.
   An executable that is linked with this defines them itself, so that libraries find them here first. Until
   earshot_process_capture, and on threads that get no answers from a world, each goes on to the original. */

#if defined(__linux__)

/* Why a function is refused. */
enum {
  EARSHOT_REFUSED_SLEEP,    /* It sleeps for real time. */
  EARSHOT_REFUSED_WAIT,     /* It waits, and the only thread would do nothing else. */
  EARSHOT_REFUSED_TIMER,    /* It starts a timer of the system. */
  EARSHOT_REFUSED_THREAD,   /* It starts a thread. */
  EARSHOT_REFUSED_PROCESS,  /* It starts a process, or puts another program in the place of this one. */
  EARSHOT_REFUSED_GROUP,    /* It moves the process to another group or session of processes. */
  EARSHOT_REFUSED_DISPATCH, /* It uses a queue of Dispatch. */
  EARSHOT_REFUSED_SOCKET,   /* It opens a socket of the system. */
  EARSHOT_REFUSED_TIMEOUT,  /* It gives a socket of the system a timeout. */
  EARSHOT_REFUSED_CLOCK,    /* It sets a clock of the system, or reads one within the C library. */
  EARSHOT_REFUSED_LOAD,     /* It reads how busy the machine is. */
  EARSHOT_REFUSED_LOCK,     /* It waits for a lock that the only thread holds itself. */
};

/* Ends the process with a message: what was called cannot be simulated. */
typedef void (*earshot_process_refusal)(int reason, const char *what);

/* From now on what cannot be simulated is refused, and what differs in each run is answered, on threads that get
   answers from a world. */
void earshot_process_capture(earshot_process_refusal refuse);

/* The number of threads of the process. */
int earshot_process_thread_count(void);

/* Starts the program anew, once, with addresses that are the same in each run, as far as the system allows that. Returns
   if that has happened, or cannot. */
void earshot_process_restart(char **arguments);

#endif
#endif
