// Replacing the source of randomness is deprecated in OpenSSL 3 in favour of providers, which know no threads.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CEarshotTLS.h"
#include <openssl/rand.h>
#include <pthread.h>

static _Thread_local void (*thread_fill)(void *, uint8_t *, size_t);
static _Thread_local void *thread_state;

static int draw(uint8_t *bytes, int count) {
  if (count < 0) return 0;
  if (thread_fill == NULL) return RAND_OpenSSL()->bytes(bytes, count);
  thread_fill(thread_state, bytes, (size_t)count);
  return 1;
}

static int status(void) { return thread_fill == NULL ? RAND_OpenSSL()->status() : 1; }

static const RAND_METHOD source = {.bytes = draw, .pseudorand = draw, .status = status};
static void install(void) { RAND_set_rand_method(&source); }

void earshot_random_override(void (*fill)(void *state, uint8_t *bytes, size_t count), void *state) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (fill != NULL) pthread_once(&once, install);
  thread_fill = fill;
  thread_state = state;
}
