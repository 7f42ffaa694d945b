/* One transfer through Linux's TCP between two network namespaces, over a link of its own. Needs root.

     transfer CONGESTION RATE DELAY QUEUE LOSS SEED BYTES LIMIT

   RATE in bytes a second, DELAY one way in microseconds, QUEUE in bytes, LOSS in packets of 2^20, LIMIT in
   seconds. Prints "done", and in nanoseconds the time from connect until the connection is open and until the
   server has read the end; then payload bytes sent, and how many of them again. Or "late".

     transfer CONGESTION

   Prints "able" if it may make what it needs, and the congestion control is there. */
#define _GNU_SOURCE
#include "namespaces.h"
#include "link.h"
#include <sys/prctl.h>

enum { port = 7100, information_bytes = 256, sent_offset = 200, resent_offset = 208 };

struct transfer {
  int listener, client, server;
  int64_t begun, opened, ended;
  int64_t unwritten;
};

static char block[1 << 18];

static void begin(struct transfer *transfer, struct namespace near, struct namespace far,
                  const char *congestion) {
  struct sockaddr_in address = host_address(2, port);
  enter(far);
  transfer->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  require(bind(transfer->listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
  require(listen(transfer->listener, 1) == 0, "listen");
  enter(near);
  transfer->client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  transfer->server = -1;
  socklen_t length = (socklen_t)strlen(congestion);
  require(setsockopt(transfer->client, IPPROTO_TCP, TCP_CONGESTION, congestion, length) == 0,
          congestion);
  send_at_once(transfer->client);
  transfer->begun = nanoseconds();
  int status = connect(transfer->client, (struct sockaddr *)&address, sizeof address);
  require(status == 0 || errno == EINPROGRESS, "connect");
}

static void feed(struct transfer *transfer) {
  if (transfer->opened == 0) transfer->opened = nanoseconds();
  while (transfer->unwritten > 0) {
    size_t count = sizeof block < (size_t)transfer->unwritten ? sizeof block : (size_t)transfer->unwritten;
    ssize_t taken = write(transfer->client, block, count);
    if (taken < 0 && errno == EAGAIN) return;
    require(taken > 0, "write");
    transfer->unwritten -= taken;
  }
  require(shutdown(transfer->client, SHUT_WR) == 0, "shutdown");
}

static void drain(struct transfer *transfer) {
  if (transfer->server < 0) {
    transfer->server = accept4(transfer->listener, NULL, NULL, SOCK_NONBLOCK);
    if (transfer->server < 0) return;
  }
  for (;;) {
    ssize_t count = read(transfer->server, block, sizeof block);
    if (count < 0 && errno == EAGAIN) return;
    require(count >= 0, "read");
    if (count > 0) continue;
    transfer->ended = nanoseconds();
    return;
  }
}

/* Returns whether the server has read the end in time. */
static int run(struct transfer *transfer, int64_t limit) {
  while (transfer->ended == 0) {
    int isWriting = transfer->opened == 0 || transfer->unwritten > 0;
    struct pollfd polled[2] = {
        {.fd = transfer->server < 0 ? transfer->listener : transfer->server, .events = POLLIN},
        {.fd = isWriting ? transfer->client : -1, .events = POLLOUT}};
    int64_t left = transfer->begun + limit - nanoseconds();
    if (left <= 0) return 0;
    require(poll(polled, 2, (int)(left / 1000000) + 1) >= 0, "poll");
    require(!(polled[1].revents & POLLERR), "the connection failed");
    if (polled[1].revents & POLLOUT) feed(transfer);
    if (polled[0].revents) drain(transfer);
  }
  return 1;
}

static void report(struct transfer *transfer) {
  char information[information_bytes] = {0};
  socklen_t length = sizeof information;
  require(getsockopt(transfer->client, IPPROTO_TCP, TCP_INFO, information, &length) == 0, "TCP_INFO");
  require(length >= resent_offset + 8, "a kernel before 4.19 does not count bytes sent again");
  uint64_t sent, resent;
  memcpy(&sent, information + sent_offset, sizeof sent);
  memcpy(&resent, information + resent_offset, sizeof resent);
  printf("done %lld %lld %llu %llu\n", (long long)(transfer->opened - transfer->begun),
         (long long)(transfer->ended - transfer->begun), (unsigned long long)sent,
         (unsigned long long)resent);
}

/* Makes all that a transfer needs, and no transfer. */
static int check(const char *congestion) {
  enter_new_namespace(1, 1500);
  int probe = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t length = (socklen_t)strlen(congestion);
  require(setsockopt(probe, IPPROTO_TCP, TCP_CONGESTION, congestion, length) == 0, congestion);
  printf("able\n");
  return EXIT_SUCCESS;
}

int main(int count, char **arguments) {
  if (count == 2) return check(arguments[1]);
  if (count != 9) {
    fprintf(stderr, "usage: see the head of transfer.c\n");
    return EXIT_FAILURE;
  }
  struct conditions conditions = {
      .rate = atoll(arguments[2]), .delay = atoll(arguments[3]) * 1000, .queue = atoll(arguments[4]),
      .loss = strtoull(arguments[5], NULL, 10), .seed = strtoull(arguments[6], NULL, 10)};
  /* A link that is late would be another link; a machine that lends no priority may still be quiet. */
  struct sched_param priority = {.sched_priority = 10};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  prctl(PR_SET_TIMERSLACK, 1);
  struct namespace near = enter_new_namespace(1, 1500), far = enter_new_namespace(2, 1500);
  start_link(conditions, near.device, far.device);
  struct transfer transfer = {.unwritten = atoll(arguments[7])};
  begin(&transfer, near, far, arguments[1]);
  if (run(&transfer, atoll(arguments[8]) * 1000000000)) report(&transfer); else printf("late\n");
  return EXIT_SUCCESS;
}
