#ifndef CEARSHOTSIMULATOR_H
#define CEARSHOTSIMULATOR_H

#include <stdint.h>

#include "EarshotOriginal.h"

/* The thread that drives a world: time and chance of the system are those of the world there, and the world is told when
   code leaves it. An executable that is linked with this defines the functions of the C library that ask for time and
   chance; on all other threads each goes on to the original. Linux only; elsewhere, and where the C library is linked
   statically, nothing is answered. */

/* A serial executor, as the language's runtime passes it. */
typedef struct {
  void *identity;
  void *implementation;
} earshot_executor;

/* What is asked of a world, and what it is told. */
typedef struct {
  /* The time in nanoseconds since the beginning of the world. */
  int64_t (*now)(const void *world);
  /* Fills bytes with random numbers. */
  void (*draw)(const void *world, uint8_t *bytes, uint64_t count);
  /* Takes in that code has read a clock so often at one instant that it waits for the time to pass. Returns the
     nanoseconds that pass for the code, or ends the process. */
  int64_t (*stuck)(const void *world);
  /* Takes in a job for the pool of threads that the language's runtime keeps. Returns whether the world runs it. */
  int (*pool)(const void *world, void *job);
  /* Takes in a wish for the main executor. Returns whether another executor takes its place. */
  int (*main)(const void *world, earshot_executor *executor);
} earshot_world_calls;

/* Has all worlds be called in these ways. To be called once, before any world is driven. */
void earshot_world_install(const earshot_world_calls *calls);

/* Has the calling thread drive a world, or none with NULL. Returns the world before. */
const void *earshot_world_drive(const void *world);

/* Counts the readings of clocks by the calling thread anew. */
void earshot_clock_readings_reset(void);

/* Whether the calling thread gets its answers from a world. */
int earshot_system_is_answered(void);

/* How often a clock may be read at one instant. */
enum { EARSHOT_CLOCK_READS_MAX = 20000000 };

/* The seconds from 1970 to the beginning of the dates of every world: 1 January 2026, 00:00 UTC. */
enum { EARSHOT_EPOCH = 1767225600 };

/* Answers a call of syscall(2) with six arguments from some place, or returns 0 to leave it to the system. */
typedef int (*earshot_system_call)(const void *caller, long number, const long *arguments, long *result);

/* From now on the whole process is a world's: the clocks of processors show its time, too, and the function is asked
   first for each call of syscall(2) that is not about random bytes. */
void earshot_system_capture(earshot_system_call call);

/* Whether an address is in a library whose path has this in it. */
int earshot_is_in_library(const void *address, const char *name);

/* The number of the task whose job this is: no other task of the process has it. */
uint64_t earshot_task_number(void *job);

/* The line that a crash of the calling thread writes to the standard error behind "A crash in ", or none with NULL; a
   string that stays where it is until it is replaced. Returns the line before. */
const char *earshot_crash_line(const char *line);

/* Adds a line for crashes of threads that have none, until the end with the returned number, which is -1 if there
   are too many; the string stays where it is until then. */
int earshot_crash_test_begin(const char *line);
void earshot_crash_test_end(int number);

/* Has crashes write their thread's line, or else all that were added, and then go on as before; and has signals that ask
   for the end of the process, unless the program has its own way with them, write all that were added, behind "A signal
   ends the process in ". To be called once. */
void earshot_crash_lines_install(void);

#endif
