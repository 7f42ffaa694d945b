#define _GNU_SOURCE
#if defined(__linux__)

#include "Original.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

ORIGINAL(getrandom)
ORIGINAL(getentropy)
ORIGINAL(syscall)

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  if (!earshot_chance_is_answered(__builtin_return_address(0))) return original_getrandom()(bytes, count, flags);
  earshot_draw(bytes, count);
  return (ssize_t)count;
}

int getentropy(void *bytes, size_t count) {
  if (!earshot_chance_is_answered(__builtin_return_address(0))) return original_getentropy()(bytes, count);
  earshot_draw(bytes, count);
  return 0;
}

/* The C library keeps the state of its generator to itself, and asks the kernel past every definition of this library. */
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 36)
ORIGINAL(arc4random)
ORIGINAL(arc4random_buf)
ORIGINAL(arc4random_uniform)

uint32_t arc4random(void) {
  if (!earshot_chance_is_answered(__builtin_return_address(0))) return original_arc4random()();
  uint32_t number;
  earshot_draw(&number, sizeof number);
  return number;
}

void arc4random_buf(void *bytes, size_t count) {
  if (!earshot_chance_is_answered(__builtin_return_address(0))) return original_arc4random_buf()(bytes, count);
  earshot_draw(bytes, count);
}

uint32_t arc4random_uniform(uint32_t bound) {
  if (!earshot_chance_is_answered(__builtin_return_address(0))) return original_arc4random_uniform()(bound);
  if (bound < 2) return 0;
  uint32_t number, least = -bound % bound; /* Below it are those that the other remainders have no counterpart of. */
  do {
    earshot_draw(&number, sizeof number);
  } while (number < least);
  return number % bound;
}
#endif
#endif

/* Swift's runtime asks the kernel for random bytes in this way. */
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (int index = 0; index < 6; index++) arguments[index] = va_arg(list, long);
  va_end(list);
  long result;
  if (number == SYS_getrandom) {
    if (earshot_chance_is_answered(__builtin_return_address(0))) {
      earshot_draw((void *)arguments[0], (size_t)arguments[1]);
      return arguments[1];
    }
  } else if (earshot_system_call_answer != NULL &&
             earshot_system_call_answer(__builtin_return_address(0), number, arguments, &result)) {
    return result;
  }
  return original_syscall()(
      number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

#endif
