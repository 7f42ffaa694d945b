#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CEarshot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <time.h>
#include <unistd.h>

/* No descriptor of this process reaches the child by chance: neither one that lacks FD_CLOEXEC nor one that another
   thread has opened a moment ago and not marked yet. */
static int close_others(posix_spawn_file_actions_t *actions, short *flags) {
#if defined(__APPLE__)
  (void)actions;
  *flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
  return 0;
#elif defined(__GLIBC__)
  (void)flags;
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
  (void)actions;
  (void)flags;
  return 0;
#endif
}

static int prepare(
    posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, const int descriptors[3]) {
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  sigset_t none, ignored;
  int failure = 0;
  for (int place = 0; place < 3 && failure == 0; place++) {
    if (descriptors[place] < 0) {
      failure = posix_spawn_file_actions_addopen(actions, place, "/dev/null", O_RDWR, 0);
    } else {
      failure = posix_spawn_file_actions_adddup2(actions, descriptors[place], place);
    }
  }
  if (failure == 0) failure = close_others(actions, &flags);
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  if (failure == 0) failure = posix_spawnattr_setsigmask(attributes, &none);
  if (failure == 0) failure = posix_spawnattr_setsigdefault(attributes, &ignored);
  if (failure == 0) failure = posix_spawnattr_setflags(attributes, flags);
  return failure;
}

/* A copy out of the way of the three that the child has; the negative stays as it is. */
static int set_aside(int descriptor) {
  return descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

int earshot_spawn(
    pid_t *process, char *const *words, char *const *environment, int input, int output, int errors) {
  const int wanted[3] = {input, output, errors};
  int descriptors[3] = {-1, -1, -1};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure != 0) return failure;
  failure = posix_spawnattr_init(&attributes);
  if (failure != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return failure;
  }
  for (int place = 0; place < 3 && failure == 0; place++) {
    descriptors[place] = set_aside(wanted[place]);
    if (descriptors[place] < 0 && wanted[place] >= 0) failure = errno;
  }
  if (failure == 0) failure = prepare(&actions, &attributes, descriptors);
  if (failure == 0) {
    // A program that was written a moment ago may be held by a process that is being started, until that becomes another.
    const struct timespec moment = {.tv_nsec = 2000000};
    for (int attempt = 0; attempt < 100; attempt++) {
      failure = posix_spawnp(process, words[0], &actions, &attributes, words, environment);
      if (failure != ETXTBSY) break;
      nanosleep(&moment, NULL);
    }
  }
  for (int place = 0; place < 3; place++) {
    if (descriptors[place] >= 0) close(descriptors[place]);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}
