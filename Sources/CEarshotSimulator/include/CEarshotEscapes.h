#ifndef CEARSHOT_ESCAPES_H
#define CEARSHOT_ESCAPES_H

#include <stdint.h>

/* What leaves the executors that a thread drives: a job for the pool of threads that the language's runtime keeps,
   or a wish for the main executor. */
enum {
  EARSHOT_ESCAPE_POOL = 0,
  EARSHOT_ESCAPE_MAIN = 1,
};

typedef void (*earshot_escape_handler)(const void *context, int escape);

/* Has the handler told of every escape on a thread that is watched, before it happens. To be called once. */
void earshot_escapes_install(earshot_escape_handler handler);

/* Watches the calling thread with a context, or not with NULL. Returns the context before. */
const void *earshot_escapes_watch(const void *context);

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
