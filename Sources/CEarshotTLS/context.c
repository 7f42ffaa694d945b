#include "CEarshotTLS.h"
#include <openssl/crypto.h>
#include <openssl/x509.h>
#include <string.h>

// Otherwise exit() frees what OpenSSL has made, while threads still let go of their channels: a crash at the end of
// one process in some thousands. In this file, since no linker leaves it out.
__attribute__((constructor)) static void keep_until_the_process_ends(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

bool earshot_peer_id(const uint8_t key[EARSHOT_KEY_BYTES], uint8_t id[EARSHOT_ID_BYTES]) {
  static const char label[] = "earshot peer id v1"; // With its zero.
  // SubjectPublicKeyInfo of Ed25519 is this and the key (RFC 8410, section 4).
  static const uint8_t prefix[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
  uint8_t input[sizeof label + sizeof prefix + EARSHOT_KEY_BYTES];
  memcpy(input, label, sizeof label);
  memcpy(input + sizeof label, prefix, sizeof prefix);
  memcpy(input + sizeof label + sizeof prefix, key, EARSHOT_KEY_BYTES);
  return EVP_Digest(input, sizeof input, id, NULL, EVP_sha256(), NULL) == 1;
}

static const uint8_t protocol[] = "\x09" "earshot/1";
static const size_t protocol_count = sizeof protocol - 1;

// One certificate, signed by its own Ed25519 key. Names, dates and extensions say nothing here.
static bool read_key(X509_STORE_CTX *store, uint8_t key[EARSHOT_KEY_BYTES]) {
  X509 *certificate = X509_STORE_CTX_get0_cert(store);
  STACK_OF(X509) *chain = X509_STORE_CTX_get0_untrusted(store);
  if (certificate == NULL || (chain != NULL && sk_X509_num(chain) > 1)) return false;
  EVP_PKEY *public_key = X509_get0_pubkey(certificate);
  size_t count = EARSHOT_KEY_BYTES;
  return public_key != NULL && EVP_PKEY_get_base_id(public_key) == EVP_PKEY_ED25519 &&
         X509_verify(certificate, public_key) == 1 &&
         EVP_PKEY_get_raw_public_key(public_key, key, &count) == 1 && count == EARSHOT_KEY_BYTES;
}

// Certificates come after ALPN in both directions; who offers none is not asked by the callback that selects.
static bool has_protocol(SSL *connection) {
  const uint8_t *chosen = NULL;
  unsigned count = 0;
  SSL_get0_alpn_selected(connection, &chosen, &count);
  return count == protocol_count - 1 && memcmp(chosen, protocol + 1, count) == 0;
}

static earshot_certificate_verdict judge(SSL *connection, earshot_tls_memory *memory, X509_STORE_CTX *store) {
  if (!has_protocol(connection)) return EARSHOT_CERTIFICATE_ELSEWHERE;
  uint8_t key[EARSHOT_KEY_BYTES];
  if (!read_key(store, key) || !earshot_peer_id(key, memory->remote)) return EARSHOT_CERTIFICATE_MALFORMED;
  memory->has_remote = true;
  if (CRYPTO_memcmp(memory->remote, memory->local, EARSHOT_ID_BYTES) == 0) return EARSHOT_CERTIFICATE_OWN;
  if (memory->has_expected && CRYPTO_memcmp(memory->remote, memory->expected, EARSHOT_ID_BYTES) != 0)
    return EARSHOT_CERTIFICATE_UNEXPECTED;
  return EARSHOT_CERTIFICATE_ACCEPTED;
}

static int verify(X509_STORE_CTX *store, void *unused) {
  (void)unused;
  SSL *connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
  earshot_tls_memory *memory = connection == NULL ? NULL : SSL_get_app_data(connection);
  if (memory == NULL) return 0;
  memory->verdict = judge(connection, memory, store);
  bool accepted = memory->verdict == EARSHOT_CERTIFICATE_ACCEPTED;
  X509_STORE_CTX_set_error(store, accepted ? X509_V_OK : X509_V_ERR_CERT_REJECTED);
  return accepted;
}

static int select_protocol(
    SSL *connection, const uint8_t **chosen, uint8_t *count, const uint8_t *offered, unsigned offered_count,
    void *unused) {
  (void)connection, (void)unused;
  uint8_t *found = NULL;
  if (SSL_select_next_proto(&found, count, protocol, protocol_count, offered, offered_count) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

static void note_message(
    int is_written, int version, int type, const void *bytes, size_t count, SSL *connection, void *unused) {
  (void)version, (void)unused;
  if (is_written || type != SSL3_RT_HANDSHAKE || count == 0) return;
  earshot_tls_memory *memory = SSL_get_app_data(connection);
  uint8_t kind = ((const uint8_t *)bytes)[0];
  if (kind == SSL3_MT_KEY_UPDATE && memory->key_updates < UINT32_MAX) memory->key_updates++;
  if (kind == SSL3_MT_CERTIFICATE_REQUEST) memory->was_asked = true;
}

bool earshot_tls_configure(SSL_CTX *context) {
  SSL_CTX_set_cert_verify_callback(context, verify, NULL);
  SSL_CTX_set_alpn_select_cb(context, select_protocol, NULL);
  SSL_CTX_set_msg_callback(context, note_message);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  SSL_CTX_set_verify_depth(context, 0);
  SSL_CTX_set_max_cert_list(context, 4096);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_clear_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_options(
      context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_QUERY_MTU);
  SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
  // Zero is success for the last one alone.
  return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
         SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1 && SSL_CTX_set_num_tickets(context, 0) == 1 &&
         SSL_CTX_set_max_early_data(context, 0) == 1 && SSL_CTX_set1_groups_list(context, "X25519") == 1 &&
         SSL_CTX_set1_sigalgs_list(context, "ed25519") == 1 &&
         SSL_CTX_set1_client_sigalgs_list(context, "ed25519") == 1 &&
         SSL_CTX_set_alpn_protos(context, protocol, protocol_count) == 0;
}
