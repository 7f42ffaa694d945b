/* A connection as it is, or, with SECURE defined, with TLS 1.3 of OpenSSL on it, set up as Earshot sets it up.

   With READ_AHEAD_BYTES defined, as much is asked for at once; else a record after the other. */
#ifndef CHANNEL_H
#define CHANNEL_H

#include "baseline.h"

#ifdef SECURE

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#if defined(__x86_64__) || defined(__aarch64__) /* With instructions for AES. */
static const char *cipher_suites = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384";
#else
static const char *cipher_suites = "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384";
#endif

struct channel {
  int descriptor;
  SSL *tls;
};

/* Who it is does not matter to how fast it is: any certificate will do. */
static inline int trust(X509_STORE_CTX *store, void *unused) {
  (void)store, (void)unused;
  return 1;
}

static inline void identify(SSL_CTX *context) {
  EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  X509 *certificate = X509_new();
  require(key != NULL && certificate != NULL, "a key");
  X509_set_version(certificate, 2);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  require(X509_sign(certificate, key, NULL) > 0, "a certificate");
  require(SSL_CTX_use_certificate(context, certificate) == 1, "a certificate");
  require(SSL_CTX_use_PrivateKey(context, key) == 1, "a key");
}

static inline struct channel make_channel(int descriptor, int is_server) {
  SSL_CTX *context = SSL_CTX_new(TLS_method());
  require(context != NULL, "SSL_CTX_new");
  identify(context);
  SSL_CTX_set_cert_verify_callback(context, trust, NULL);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  require(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1, "TLS 1.3");
  require(SSL_CTX_set_num_tickets(context, 0) == 1, "no tickets");
  require(SSL_CTX_set_ciphersuites(context, cipher_suites) == 1, "ciphers");
#ifdef READ_AHEAD_BYTES
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, READ_AHEAD_BYTES);
#endif
  SSL *tls = SSL_new(context);
  require(tls != NULL && SSL_set_fd(tls, descriptor) == 1, "SSL_new");
  require((is_server ? SSL_accept(tls) : SSL_connect(tls)) == 1, "the handshake");
  return (struct channel){.descriptor = descriptor, .tls = tls};
}

static inline ssize_t read_channel(struct channel channel, void *bytes, size_t count) {
  int arrived = SSL_read(channel.tls, bytes, (int)count);
  if (arrived > 0) return arrived;
  if (SSL_get_error(channel.tls, arrived) != SSL_ERROR_WANT_READ) return 0;
  errno = EAGAIN;
  return -1;
}

static inline void write_channel(struct channel channel, const void *bytes, size_t count) {
  require(SSL_write(channel.tls, bytes, (int)count) == (int)count, "SSL_write");
}

#else

struct channel {
  int descriptor;
};

static inline struct channel make_channel(int descriptor, int is_server) {
  (void)is_server;
  return (struct channel){.descriptor = descriptor};
}

static inline ssize_t read_channel(struct channel channel, void *bytes, size_t count) {
  return read(channel.descriptor, bytes, count);
}

static inline void write_channel(struct channel channel, const void *bytes, size_t count) {
  write_all(channel.descriptor, bytes, count);
}

#endif

static inline struct channel accept_channel(void) { return make_channel(accept_one(), 1); }
static inline struct channel connect_channel(int port) { return make_channel(connect_to(port), 0); }

#endif
