#include "CEarshotTLS.h"
#include <limits.h>
#include <openssl/bio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int read_input(BIO *bio, char *bytes, size_t room, size_t *count) {
  earshot_tls_memory *memory = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (memory->input_count == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  *count = room < memory->input_count ? room : memory->input_count;
  memcpy(bytes, memory->input, *count);
  memory->input += *count;
  memory->input_count -= *count;
  return 1;
}

static bool spill(earshot_tls_memory *memory, const char *bytes, size_t count) {
  size_t needed = memory->spill_count + count;
  if (needed > memory->spill_capacity) {
    size_t capacity = needed < 2048 ? 2048 : needed * 2;
    uint8_t *grown = realloc(memory->spill, capacity);
    if (grown == NULL) return false;
    memory->spill = grown;
    memory->spill_capacity = capacity;
  }
  memcpy(memory->spill + memory->spill_count, bytes, count);
  memory->spill_count = needed;
  return true;
}

static int write_output(BIO *bio, const char *bytes, size_t count, size_t *written) {
  earshot_tls_memory *memory = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  *written = count;
  // Once something has spilled, what comes later must not overtake it.
  if (memory->spill_count > 0 || count > memory->output_capacity - memory->output_count)
    return spill(memory, bytes, count);
  memcpy(memory->output + memory->output_count, bytes, count);
  memory->output_count += count;
  return 1;
}

static long control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

static int prepare(BIO *bio) {
  BIO_set_init(bio, 1);
  return 1;
}

static BIO_METHOD *method;
static void make_method(void) {
  method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "lent memory");
  if (method == NULL) return;
  BIO_meth_set_create(method, prepare);
  BIO_meth_set_read_ex(method, read_input);
  BIO_meth_set_write_ex(method, write_output);
  BIO_meth_set_ctrl(method, control);
}

SSL *earshot_tls_open(SSL_CTX *context, earshot_tls_memory *memory) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_method);
  SSL *connection = method == NULL ? NULL : SSL_new(context);
  BIO *bio = connection == NULL ? NULL : BIO_new(method);
  if (bio == NULL) {
    SSL_free(connection);
    return NULL;
  }
  BIO_set_data(bio, memory);
  SSL_set_bio(connection, bio, bio);
  SSL_set_app_data(connection, memory);
  return connection;
}

void earshot_tls_drop_spill(earshot_tls_memory *memory) {
  free(memory->spill);
  memory->spill = NULL;
  memory->spill_count = memory->spill_capacity = 0;
}
