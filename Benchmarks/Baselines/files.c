/* A file from one process to another over TLS, as Earshot sends one: hashed in pieces of a mebibyte while it is
   read, and again while it is written; whole and on the disk before it gets its name.

     files receive FOLDER            prints "ready PORT", then "received CPU-SECONDS"
     files receive FOLDER threaded   the same, with a second thread that hashes and writes
     files send PATH PORT            prints "sent SECONDS CPU-SECONDS"

   Each side is one thread with one buffer: with a core for each, the receiver's is busy all the time. The records
   of TLS are gathered into writes of 256 KiB, which takes a tenth off the sender's CPU time, and 64 KiB are read at
   once: more of them would leave the cache before they are decrypted. With a second thread, two buffers of 512 KiB go
   back and forth, so that a disk that stands still holds up no other stream. */
#define _GNU_SOURCE
#define READ_AHEAD_BYTES 65536
#include "channel.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#ifndef SECURE
#error "files.c is over TLS alone"
#endif

enum { block_bytes = 1 << 18, handed_bytes = 1 << 19, piece_bytes = 1 << 20, digest_bytes = 32 };

static unsigned char block[block_bytes];

struct hash {
  EVP_MD_CTX *piece, *whole;
  size_t bytes; /* Of the piece. */
};

static void start_digest(EVP_MD_CTX *context) {
  require(EVP_DigestInit_ex(context, NULL, NULL) == 1, "EVP_DigestInit_ex");
}

static struct hash make_hash(void) {
  struct hash hash = {.piece = EVP_MD_CTX_new(), .whole = EVP_MD_CTX_new()};
  require(hash.piece != NULL && hash.whole != NULL, "EVP_MD_CTX_new");
  require(EVP_DigestInit_ex(hash.piece, EVP_sha256(), NULL) == 1, "EVP_DigestInit_ex");
  require(EVP_DigestInit_ex(hash.whole, EVP_sha256(), NULL) == 1, "EVP_DigestInit_ex");
  return hash;
}

static void end_piece(struct hash *hash) {
  unsigned char digest[digest_bytes];
  require(EVP_DigestFinal_ex(hash->piece, digest, NULL) == 1, "EVP_DigestFinal_ex");
  require(EVP_DigestUpdate(hash->whole, digest, sizeof digest) == 1, "EVP_DigestUpdate");
  start_digest(hash->piece);
  hash->bytes = 0;
}

/* Adds bytes that lie in one piece or in several. */
static void add(struct hash *hash, const unsigned char *bytes, size_t count) {
  while (count > 0) {
    size_t left = piece_bytes - hash->bytes, part = count < left ? count : left;
    require(EVP_DigestUpdate(hash->piece, bytes, part) == 1, "EVP_DigestUpdate");
    hash->bytes += part;
    if (hash->bytes == piece_bytes) end_piece(hash);
    bytes += part;
    count -= part;
  }
}

static void finish(struct hash *hash, unsigned char *digest) {
  if (hash->bytes > 0) end_piece(hash);
  require(EVP_DigestFinal_ex(hash->whole, digest, NULL) == 1, "EVP_DigestFinal_ex");
}

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void read_whole(struct channel channel, void *bytes, size_t count) {
  for (size_t received = 0; received < count;) {
    ssize_t arrived = read_channel(channel, (char *)bytes + received, count - received);
    require(arrived > 0, "read");
    received += (size_t)arrived;
  }
}

/* Gathers what is written to the channel until it is flushed. */
static BIO *gather(struct channel channel) {
  BIO *buffer = BIO_new(BIO_f_buffer());
  require(buffer != NULL && BIO_set_write_buffer_size(buffer, block_bytes) == 1, "BIO_f_buffer");
  BIO *socket = SSL_get_wbio(channel.tls);
  BIO_up_ref(socket);
  SSL_set0_wbio(channel.tls, BIO_push(buffer, socket));
  return buffer;
}

static void send_file(const char *path, int port) {
  struct channel channel = connect_channel(port);
  BIO *buffer = gather(channel);
  double cpu = cpu_seconds();
  int64_t start = nanoseconds();
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  require(file >= 0 && fstat(file, &status) == 0, path);
  uint64_t byte_count = (uint64_t)status.st_size;
  write_channel(channel, &byte_count, sizeof byte_count);
  struct hash hash = make_hash();
  for (uint64_t left = byte_count; left > 0;) {
    ssize_t count = read(file, block, sizeof block);
    require(count > 0 && (uint64_t)count <= left, "read");
    add(&hash, block, (size_t)count);
    write_channel(channel, block, (size_t)count);
    left -= (uint64_t)count;
  }
  unsigned char digest[digest_bytes], answer;
  finish(&hash, digest);
  write_channel(channel, digest, sizeof digest);
  require(BIO_flush(buffer) == 1, "flush");
  read_whole(channel, &answer, 1);
  require(answer == 1, "the receiver has got other bytes");
  printf("sent %.9f %.9f\n", (double)(nanoseconds() - start) / 1e9, cpu_seconds() - cpu);
}

/* Writes the blocks that another thread fills, in turn. */
struct writer {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  unsigned char blocks[2][handed_bytes];
  size_t counts[2];
  uint64_t filled, written, byte_count;
  struct hash hash;
  int file;
};

/* Waits while so many blocks are filled and not written. */
static void wait_while(struct writer *writer, uint64_t count) {
  pthread_mutex_lock(&writer->mutex);
  while (writer->filled - writer->written == count) pthread_cond_wait(&writer->changed, &writer->mutex);
  pthread_mutex_unlock(&writer->mutex);
}

static void advance(struct writer *writer, uint64_t *number) {
  pthread_mutex_lock(&writer->mutex);
  *number += 1;
  pthread_cond_signal(&writer->changed);
  pthread_mutex_unlock(&writer->mutex);
}

static void *write_blocks(void *pointer) {
  struct writer *writer = pointer;
  for (uint64_t left = writer->byte_count; left > 0;) {
    wait_while(writer, 0);
    size_t index = writer->written % 2, count = writer->counts[index];
    add(&writer->hash, writer->blocks[index], count);
    write_all(writer->file, (const char *)writer->blocks[index], count);
    left -= count;
    advance(writer, &writer->written);
  }
  return NULL;
}

static void receive_by_two_threads(struct channel channel, uint64_t byte_count, int file, struct hash *hash) {
  static struct writer writer = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  writer.byte_count = byte_count;
  writer.hash = *hash;
  writer.file = file;
  pthread_t thread;
  require(pthread_create(&thread, NULL, write_blocks, &writer) == 0, "pthread_create");
  for (uint64_t left = byte_count; left > 0;) {
    wait_while(&writer, 2);
    size_t index = writer.filled % 2, count = left < handed_bytes ? (size_t)left : handed_bytes;
    read_whole(channel, writer.blocks[index], count);
    writer.counts[index] = count;
    left -= count;
    advance(&writer, &writer.filled);
  }
  require(pthread_join(thread, NULL) == 0, "pthread_join");
  *hash = writer.hash;
}

static void receive_by_one_thread(struct channel channel, uint64_t byte_count, int file, struct hash *hash) {
  for (uint64_t left = byte_count; left > 0;) {
    size_t count = left < sizeof block ? (size_t)left : sizeof block;
    read_whole(channel, block, count);
    add(hash, block, count);
    write_all(file, (const char *)block, count);
    left -= count;
  }
}

static void receive_file(const char *folder_path, int is_threaded) {
  struct channel channel = accept_channel();
  double cpu = cpu_seconds();
  uint64_t byte_count;
  read_whole(channel, &byte_count, sizeof byte_count);
  int folder = open(folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require(folder >= 0, folder_path);
  int file = openat(folder, ".part", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  require(file >= 0, "create");
  struct hash hash = make_hash();
  (is_threaded ? receive_by_two_threads : receive_by_one_thread)(channel, byte_count, file, &hash);
  unsigned char expected[digest_bytes], digest[digest_bytes], answer = 1;
  read_whole(channel, expected, sizeof expected);
  finish(&hash, digest);
  require(memcmp(digest, expected, sizeof digest) == 0, "other bytes arrived");
  require(fsync(file) == 0, "fsync");
  require(renameat(folder, ".part", folder, "received") == 0, "rename");
  require(fsync(folder) == 0, "fsync");
  write_channel(channel, &answer, 1);
  printf("received %.9f\n", cpu_seconds() - cpu);
}

int main(int count, char **arguments) {
  if ((count == 3 || (count == 4 && strcmp(arguments[3], "threaded") == 0)) &&
      strcmp(arguments[1], "receive") == 0) {
    receive_file(arguments[2], count == 4);
  } else if (count == 4 && strcmp(arguments[1], "send") == 0) {
    send_file(arguments[2], atoi(arguments[3]));
  } else {
    fprintf(stderr, "usage: files receive FOLDER [threaded] | send PATH PORT\n");
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
