#ifndef CEARSHOT_TERMINAL_H
#define CEARSHOT_TERMINAL_H

/* The terminal of this process: what has to be undone in signal handlers, too, and is in C for that reason. */

/* Has the terminal hand over each key as it comes and show none, and mark what is pasted. Ctrl-C, Ctrl-Z and
   Ctrl-\ are signals as before. What the terminal was like is remembered until earshot_terminal_leave, which
   also happens at exit() and at Ctrl-\.
   Returns 0, or -1 with errno set when the input is no terminal. */
int earshot_terminal_enter(int input, int output);

/* Whether another job of the shell has the terminal: this process is in the background.
   Returns 1 or 0; 0 also for what is no terminal, or not the one that this process belongs to. */
int earshot_terminal_is_away(int input);

/* Makes the terminal what it was; does nothing if it is. May be called anywhere, in signal handlers too. */
void earshot_terminal_leave(void);

/* Opens a terminal that has no screen, for tests: the side of its user, and the one that programs have.
   Returns 0, or -1 with errno set. */
int earshot_terminal_open(int *user, int *program);

#endif
