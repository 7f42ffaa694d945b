#ifndef CCAPTUREDSUBJECT_H
#define CCAPTUREDSUBJECT_H

/* Calls of the C library, by the names of its functions. */

#if defined(__linux__)

/* Calls a function that must end a simulated process. Returns 0 if there is no such name. */
int captured_subject_misdeed(const char *name);

/* Prints what each function that a world answers returns: a name and a value a line. The files are made in a folder. */
void captured_subject_print_answers(const char *folder);

/* Calls functions that wait, lock or stop only sometimes, and prints a line for each that does not. */
void captured_subject_print_harmless(void);

#endif
#endif
