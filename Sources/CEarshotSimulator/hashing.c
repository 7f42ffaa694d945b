#define _GNU_SOURCE
#include "CEarshotSimulator.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/* Swift's runtime hashes with these (SwiftShims/GlobalObjects.h). */
struct hashing_parameters {
  uint64_t seed0, seed1;
  bool deterministic;
};
extern struct hashing_parameters _swift_stdlib_Hashing_parameters;

/* A program that meets real peers defines this, and keeps the random seeds, which peers cannot foresee. Called before
   anything of Swift may be. */
extern int earshot_hashing_is_random(int count, char **arguments) __attribute__((weak));

static const char variable[] = "SWIFT_DETERMINISTIC_HASHING";
static bool has_set_variable;

static void *image(void *symbol) {
  Dl_info place;
  return dladdr(symbol, &place) != 0 ? place.dli_fbase : NULL;
}

/* A runtime in a shared library has chosen its seeds before this, and has used none. One that is linked statically
   chooses later, and asks the environment. */
__attribute__((constructor(101))) static void hash_alike(int count, char **arguments) {
  if (&earshot_hashing_is_random != NULL && earshot_hashing_is_random(count, arguments)) return;
  if (image(&_swift_stdlib_Hashing_parameters) == image((void *)&hash_alike) && getenv(variable) == NULL) {
    setenv(variable, "1", 1);
    has_set_variable = true;
  }
  _swift_stdlib_Hashing_parameters = (struct hashing_parameters){0, 0, true};
}

void earshot_hashing_settle(void) {
  if (has_set_variable) unsetenv(variable);
  has_set_variable = false;
}

int earshot_hashing_is_deterministic(void) { return _swift_stdlib_Hashing_parameters.deterministic; }

#else

void earshot_hashing_settle(void) {}
int earshot_hashing_is_deterministic(void) { return 0; }

#endif
