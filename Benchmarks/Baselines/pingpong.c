/* One message to and fro over TCP, waiting in epoll_wait or in read; over TLS if SECURE is defined.

     pingpong echo epoll|blocking BYTES               prints "ready PORT"
     pingpong ask epoll|blocking BYTES COUNT PORT     prints nanoseconds, a line a round trip, then "done" */
#include "channel.h"
#include <fcntl.h>
#include <sys/epoll.h>

static int poller = -1;

/* Reads one whole message; waits for it in epoll_wait if there is a poller. Returns 0 at the end. */
static int read_message(struct channel connection, char *message, size_t message_bytes) {
  for (size_t received = 0; received < message_bytes;) {
    struct epoll_event event;
    if (poller >= 0) require(epoll_wait(poller, &event, 1, -1) == 1, "epoll_wait");
    ssize_t arrived = read_channel(connection, message + received, message_bytes - received);
    if (arrived < 0 && errno == EAGAIN) continue;
    if (arrived == 0) return 0;
    require(arrived > 0, "read");
    received += (size_t)arrived;
  }
  return 1;
}

static void prepare(struct channel connection, const char *way) {
  if (strcmp(way, "epoll") != 0) return;
  struct epoll_event event = {.events = EPOLLIN};
  poller = epoll_create1(0);
  require(poller >= 0, "epoll_create1");
  require(fcntl(connection.descriptor, F_SETFL, O_NONBLOCK) == 0, "fcntl");
  require(epoll_ctl(poller, EPOLL_CTL_ADD, connection.descriptor, &event) == 0, "epoll_ctl");
}

static void ask(struct channel connection, size_t message_bytes, long count) {
  char *message = calloc(1, message_bytes);
  int64_t *times = calloc((size_t)count, sizeof *times);
  require(message != NULL && times != NULL, "calloc");
  for (long index = 0; index < count; index += 1) {
    int64_t start = nanoseconds();
    write_channel(connection, message, message_bytes);
    require(read_message(connection, message, message_bytes), "the end came early");
    times[index] = nanoseconds() - start;
  }
  for (long index = 0; index < count; index += 1) printf("%lld\n", (long long)times[index]);
  printf("done\n");
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "echo") == 0) {
    size_t message_bytes = (size_t)atol(arguments[3]);
    char *message = malloc(message_bytes);
    require(message != NULL, "malloc");
    struct channel connection = accept_channel();
    prepare(connection, arguments[2]);
    while (read_message(connection, message, message_bytes))
      write_channel(connection, message, message_bytes);
  } else if (count == 6 && strcmp(arguments[1], "ask") == 0) {
    struct channel connection = connect_channel(atoi(arguments[5]));
    prepare(connection, arguments[2]);
    ask(connection, (size_t)atol(arguments[3]), atol(arguments[4]));
  } else {
    fprintf(stderr, "usage: see the head of pingpong.c\n");
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
