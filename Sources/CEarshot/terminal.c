#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CEarshot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static const char marks_pastes[] = "\033[?2004h", marks_no_pastes[] = "\033[?2004l";

/* Written while `is_entered` is 0, and read by whoever makes it 0. */
static struct termios modes_before;
static int terminal_input, terminal_output;
static atomic_int is_entered;

static void write_all(int descriptor, const char *text, size_t count) {
  while (count > 0) {
    ssize_t written = write(descriptor, text, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    count -= (size_t)written;
  }
}

static int set_modes(int descriptor, const struct termios *modes) {
  int result;
  do result = tcsetattr(descriptor, TCSANOW, modes);
  while (result < 0 && errno == EINTR);
  return result;
}

int earshot_terminal_is_away(int input) {
  pid_t group = tcgetpgrp(input);
  return group >= 0 && group != getpgrp();
}

void earshot_terminal_leave(void) {
  int failure = errno;
  if (atomic_exchange(&is_entered, 0)) {
    /* In the background the terminal is somebody else's, who has set it up for themselves. */
    if (tcgetpgrp(terminal_input) == getpgrp()) {
      set_modes(terminal_input, &modes_before);
      write_all(terminal_output, marks_no_pastes, sizeof marks_no_pastes - 1);
    }
  }
  errno = failure;
}

static void quit(int number) {
  earshot_terminal_leave();
  signal(number, SIG_DFL);
  raise(number);
}

int earshot_terminal_enter(int input, int output) {
  static atomic_int is_prepared;
  struct termios modes;
  if (tcgetattr(input, &modes) < 0) return -1;
  if (!atomic_load(&is_entered)) {
    modes_before = modes;
    terminal_input = input;
    terminal_output = output;
  }
  if (!atomic_exchange(&is_prepared, 1)) {
    atexit(earshot_terminal_leave);
    signal(SIGQUIT, quit);
  }
  modes = modes_before;
  modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | ISTRIP | IXON);
  modes.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN);
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  atomic_store(&is_entered, 1); /* First, so that whatever happens from here on is undone. */
  if (set_modes(input, &modes) < 0) {
    atomic_store(&is_entered, 0);
    return -1;
  }
  write_all(output, marks_pastes, sizeof marks_pastes - 1);
  return 0;
}

int earshot_terminal_open(int *user, int *program) {
  const char *path;
  *user = posix_openpt(O_RDWR | O_NOCTTY);
  if (*user < 0) return -1;
  fcntl(*user, F_SETFD, FD_CLOEXEC);
  if (grantpt(*user) == 0 && unlockpt(*user) == 0 && (path = ptsname(*user)) != NULL) {
    *program = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*program >= 0) return 0;
  }
  int failure = errno;
  close(*user);
  errno = failure;
  return -1;
}
