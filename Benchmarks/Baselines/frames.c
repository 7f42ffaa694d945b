/* Frames behind a length of four bytes, one way: gathered into writes of 64 KiB, read 64 KiB at a time
   and parsed in place. Over TLS if SECURE is defined.

     frames receive BYTES COUNT           prints "ready PORT", then "received FIRST LAST COUNT"
     frames send BYTES COUNT PORT...      the same messages to every port, prints "sent" */
#include "channel.h"

static void receive_frames(size_t message_bytes, long count) {
  struct channel connection = accept_channel();
  size_t frame_bytes = message_bytes + 4, buffered = 0;
  size_t capacity = batch_bytes + frame_bytes;
  char *buffer = malloc(capacity);
  require(buffer != NULL, "malloc");
  int64_t first = 0;
  unsigned char touched = 0;
  for (long received = 0; received < count;) {
    ssize_t arrived = read_channel(connection, buffer + buffered, batch_bytes);
    require(arrived > 0, "read");
    if (first == 0) first = nanoseconds();
    buffered += (size_t)arrived;
    size_t offset = 0;
    while (buffered - offset >= 4) {
      uint32_t length;
      memcpy(&length, buffer + offset, 4);
      require(length == message_bytes, "a frame of another length");
      if (buffered - offset < 4 + length) break;
      touched ^= (unsigned char)buffer[offset + 4];
      offset += 4 + length;
      received += 1;
    }
    memmove(buffer, buffer + offset, buffered - offset);
    buffered -= offset;
  }
  int64_t last = nanoseconds();
  write_channel(connection, &touched, 1);
  printf("received %lld %lld %ld\n", (long long)first, (long long)last, count);
}

static void send_frames(size_t message_bytes, long count, int receivers, char **ports) {
  struct channel connections[receivers];
  for (int index = 0; index < receivers; index += 1)
    connections[index] = connect_channel(atoi(ports[index]));
  uint32_t length = (uint32_t)message_bytes;
  size_t frame_bytes = message_bytes + 4;
  size_t per_batch = batch_bytes / frame_bytes > 0 ? batch_bytes / frame_bytes : 1;
  char *batch = malloc(per_batch * frame_bytes), *message = malloc(message_bytes);
  require(batch != NULL && message != NULL, "malloc");
  memset(message, 0xA5, message_bytes);
  for (long sent = 0; sent < count;) {
    size_t frames = 0;
    for (; frames < per_batch && sent < count; frames += 1, sent += 1) {
      memcpy(batch + frames * frame_bytes, &length, 4);
      memcpy(batch + frames * frame_bytes + 4, message, message_bytes);
    }
    for (int index = 0; index < receivers; index += 1)
      write_channel(connections[index], batch, frames * frame_bytes);
  }
  for (int index = 0; index < receivers; index += 1) {
    char acknowledgement;
    require(read_channel(connections[index], &acknowledgement, 1) == 1, "read");
  }
  printf("sent\n");
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "receive") == 0) {
    receive_frames((size_t)atol(arguments[2]), atol(arguments[3]));
  } else if (count > 4 && strcmp(arguments[1], "send") == 0) {
    send_frames((size_t)atol(arguments[2]), atol(arguments[3]), count - 4, arguments + 4);
  } else {
    fprintf(stderr, "usage: frames receive BYTES COUNT | send BYTES COUNT PORT...\n");
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
