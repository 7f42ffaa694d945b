/* Datagrams of one size over UDP, one way, 64 to a call of the system.

     datagrams receive BYTES COUNT        prints "ready PORT", then "received FIRST LAST COUNT"
     datagrams send BYTES COUNT PORT      prints "sent" */
#define _GNU_SOURCE
#include "baseline.h"

enum { per_call = 64, bytes_max = 65536 };

static void prepare(struct mmsghdr *calls, struct iovec *parts, char *buffer, size_t bytes) {
  memset(calls, 0, per_call * sizeof *calls);
  for (int index = 0; index < per_call; index += 1) {
    parts[index] = (struct iovec){buffer + (size_t)index * bytes, bytes};
    calls[index].msg_hdr.msg_iov = &parts[index];
    calls[index].msg_hdr.msg_iovlen = 1;
  }
}

/* Counts until a datagram of one byte comes. */
static void receive_datagrams(size_t bytes) {
  int udp = socket(AF_INET, SOCK_DGRAM, 0), room = 4 << 20;
  struct sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  require(bind(udp, (struct sockaddr *)&address, sizeof address) == 0, "bind");
  require(getsockname(udp, (struct sockaddr *)&address, &length) == 0, "getsockname");
  printf("ready %d\n", ntohs(address.sin_port));
  fflush(stdout);
  char *buffer = malloc(per_call * bytes);
  require(buffer != NULL, "malloc");
  struct mmsghdr calls[per_call];
  struct iovec parts[per_call];
  prepare(calls, parts, buffer, bytes);
  int64_t first = 0, last = 0;
  long received = 0;
  for (int is_over = 0; !is_over;) {
    int arrived = recvmmsg(udp, calls, per_call, MSG_WAITFORONE, NULL);
    require(arrived > 0, "recvmmsg");
    for (int index = 0; index < arrived; index += 1) {
      if (calls[index].msg_len == 1) { is_over = 1; break; }
      last = nanoseconds();
      if (received == 0) first = last;
      received += 1;
    }
  }
  printf("received %lld %lld %ld\n", (long long)first, (long long)last, received);
}

static void send_datagrams(size_t bytes, long count, int port) {
  int udp = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in address = loopback(port);
  require(connect(udp, (struct sockaddr *)&address, sizeof address) == 0, "connect");
  char *buffer = calloc(per_call, bytes);
  require(buffer != NULL, "malloc");
  struct mmsghdr calls[per_call];
  struct iovec parts[per_call];
  prepare(calls, parts, buffer, bytes);
  for (long sent = 0; sent < count;) {
    unsigned wanted = count - sent < per_call ? (unsigned)(count - sent) : per_call;
    int taken = sendmmsg(udp, calls, wanted, 0);
    require(taken > 0, "sendmmsg");
    sent += taken;
  }
  for (int again = 0; again < 20; again += 1) { /* The end may be lost, too. */
    usleep(10000);
    if (send(udp, "", 1, 0) < 0) break;
  }
  printf("sent\n");
}

int main(int count, char **arguments) {
  require(count >= 4, "usage: datagrams receive|send BYTES COUNT [PORT]");
  size_t bytes = (size_t)atol(arguments[2]);
  require(bytes > 1 && bytes <= bytes_max, "2 to 65536 bytes");
  if (strcmp(arguments[1], "receive") == 0) receive_datagrams(bytes);
  else if (count == 5) send_datagrams(bytes, atol(arguments[3]), atoi(arguments[4]));
}
