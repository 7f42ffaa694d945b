#define _GNU_SOURCE
#include "CEarshotSimulator.h"

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>

/* Swift's runtime hashes with these (SwiftShims/GlobalObjects.h). */
struct hashing_parameters {
  uint64_t seed0, seed1;
  bool deterministic;
};
extern struct hashing_parameters _swift_stdlib_Hashing_parameters;

/* A program that meets real peers defines this, and keeps the random seeds, which peers cannot foresee. Called before
   anything of Swift may be. */
extern int earshot_hashing_is_random(int count, char **arguments) __attribute__((weak));

/* A runtime in a shared library has chosen its seeds before this, and has used none. One that is linked statically
   chooses later, and stays random: it asks the environment, and finds the arguments of the program by its place. */
__attribute__((constructor(101))) static void hash_alike(int count, char **arguments) {
  if (&earshot_hashing_is_random != NULL && earshot_hashing_is_random(count, arguments)) return;
  _swift_stdlib_Hashing_parameters = (struct hashing_parameters){0, 0, true};
}

#endif
