// What Swift cannot see of OpenSSL, or cannot be called back by.
#pragma once
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EARSHOT_KEY_BYTES 32
#define EARSHOT_ID_BYTES 32

// SHA-256("earshot peer id v1\0" || SubjectPublicKeyInfo of an Ed25519 key).
bool earshot_peer_id(const uint8_t key[EARSHOT_KEY_BYTES], uint8_t id[EARSHOT_ID_BYTES]);

// When the bytes of a file, and when anything of it, changed last: the fields have a name of their own on each system.
void earshot_file_times(const void *status, int64_t *modified, int64_t *changed);

// Why a certificate was refused.
typedef enum {
  EARSHOT_CERTIFICATE_ACCEPTED,
  EARSHOT_CERTIFICATE_MALFORMED,  // No single self-signed certificate with an Ed25519 key.
  EARSHOT_CERTIFICATE_OWN,        // The key of this side.
  EARSHOT_CERTIFICATE_UNEXPECTED, // Another key than that which was asked for.
  EARSHOT_CERTIFICATE_ELSEWHERE,  // It may be good, but no protocol was agreed on.
} earshot_certificate_verdict;

// The transport of one TLS connection, in memory, and what its certificate is judged by.
typedef struct {
  const uint8_t *input; // Lent for one call: what has arrived.
  size_t input_count;
  uint8_t *output; // Lent for one call: where to write, as long as there is room.
  size_t output_capacity;
  size_t output_count;
  uint8_t *spill; // Owned: what found no room, or came when nothing was lent.
  size_t spill_count;
  size_t spill_capacity;
  uint8_t local[EARSHOT_ID_BYTES];
  uint8_t expected[EARSHOT_ID_BYTES]; // If there is an expectation.
  uint8_t remote[EARSHOT_ID_BYTES];   // Once a certificate of the right form was seen.
  bool has_expected;
  bool has_remote;
  earshot_certificate_verdict verdict;
  bool was_asked;       // Whether the server has asked for a certificate.
  uint32_t key_updates; // Received, since somebody last set it to zero.
} earshot_tls_memory;

// Settings that are macros, and the callbacks: certificates, ALPN, key updates. False when OpenSSL refuses one.
bool earshot_tls_configure(SSL_CTX *context);

// A connection over memory, which lives at least as long; NULL when there is none left.
SSL *earshot_tls_open(SSL_CTX *context, earshot_tls_memory *memory);

// Lets go of what spilled.
void earshot_tls_drop_spill(earshot_tls_memory *memory);

// Has OpenSSL draw its random numbers, on this thread, from `fill` until it is called with NULL.
//
// From the first such call on OpenSSL's source of randomness in this process is one that asks `fill`, on a thread that has
// one, and otherwise OpenSSL's own.
void earshot_random_override(void (*fill)(void *state, uint8_t *bytes, size_t count), void *state);
