#include "CEarshotSimulator.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE,
                              SIGTERM, SIGINT, SIGQUIT, SIGALRM, SIGXCPU};
#define SIGNAL_COUNT (sizeof signals / sizeof signals[0])

static struct sigaction before[SIGNAL_COUNT];
static _Thread_local const char *line;

#define TEST_COUNT 256
static _Atomic(const char *) tests[TEST_COUNT];

static void write_text(const char *text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

/* Whether a signal asks for the end of the process, such as that of a time limit: no instruction has caused it. */
static int is_request(int number) {
  return number == SIGTERM || number == SIGINT || number == SIGQUIT || number == SIGALRM || number == SIGXCPU;
}

/* Allocates and locks nothing, as a signal handler must not. The instruction that crashed is run again once the
   handler of before is back in place, and crashes again. */
static void tell(int number) {
  const char *event = is_request(number) ? "A signal ends the process in " : "A crash in ";
  if (line != NULL && !is_request(number)) {
    write_text(event);
    write_text(line);
  } else {
    for (int index = 0; index < TEST_COUNT; index++) {
      const char *text = atomic_load(&tests[index]);
      if (text == NULL) continue;
      write_text(event);
      write_text(text);
    }
  }
  for (size_t index = 0; index < SIGNAL_COUNT; index++) {
    if (signals[index] == number) sigaction(number, &before[index], NULL);
  }
  if (number == SIGABRT || is_request(number)) raise(number);
}

const char *earshot_crash_line(const char *text) {
  const char *previous = line;
  line = text;
  return previous;
}

int earshot_crash_test_begin(const char *text) {
  for (int index = 0; index < TEST_COUNT; index++) {
    const char *none = NULL;
    if (atomic_compare_exchange_strong(&tests[index], &none, text)) return index;
  }
  return -1;
}

void earshot_crash_test_end(int number) {
  if (number >= 0) atomic_store(&tests[number], NULL);
}

void earshot_crash_lines_install(void) {
  for (size_t index = 0; index < SIGNAL_COUNT; index++) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = tell;
    /* The runtime's own handlers run on another stack when this one is full. */
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(signals[index], &action, &before[index]);
    if (is_request(signals[index]) && before[index].sa_handler != SIG_DFL) {
      sigaction(signals[index], &before[index], NULL); /* The program has its own way, or ignores it. */
    }
  }
}
