/* A link between two devices: a rate, a queue that loses what it has no room for, chance, a delay.

   It decides as the simulator's link does. A packet of so many bytes begins to leave when those before it have
   left; it is lost if more bytes would wait than the queue holds. What chance takes has passed the queue. */
#ifndef LINK_H
#define LINK_H

#include "baseline.h"
#include <poll.h>
#include <pthread.h>

enum { packet_bytes_max = 2048, packets_max = 1 << 15, batch_packets = 64 };

struct conditions {
  int64_t rate;    /* Bytes a second. */
  int64_t delay;   /* Nanoseconds, one way. */
  int64_t queue;   /* Bytes that may wait. */
  uint64_t loss;   /* Packets in 2^20. */
  uint64_t seed;
};

struct packet {
  int64_t due;
  size_t bytes;
  char *contents;
};

struct direction {
  int source, target;
  uint64_t number;     /* 0 to the server, 1 from it. */
  uint64_t offered;    /* Packets so far, also those that were lost. */
  int64_t busy_until;
  unsigned first, end; /* Of the packets on their way. */
  struct packet packets[packets_max];
};

struct link {
  struct conditions conditions;
  struct direction directions[2];
};

/* Whether chance takes a packet: a function of seed, direction and the packet's number (SplitMix64). */
static inline int is_lost(struct conditions conditions, uint64_t direction, uint64_t number) {
  uint64_t word = conditions.seed * 2 + direction;
  word = (word << 32) + number + 1;
  word *= 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return ((word ^ (word >> 31)) >> 44) < conditions.loss;
}

static inline void take(struct direction *way, struct conditions conditions, const char *contents,
                        size_t bytes, int64_t now) {
  int lost = is_lost(conditions, way->number, way->offered++);
  int64_t start = way->busy_until > now ? way->busy_until : now;
  int64_t waiting = (int64_t)((__int128)(start - now) * conditions.rate / 1000000000);
  if (start > now && waiting + (int64_t)bytes > conditions.queue) return;
  way->busy_until = start + (int64_t)bytes * 1000000000 / conditions.rate;
  if (lost) return;
  require(way->end - way->first < packets_max, "more packets on their way than a link has room for");
  struct packet *packet = &way->packets[way->end++ % packets_max];
  packet->contents = malloc(bytes);
  require(packet->contents != NULL, "malloc");
  memcpy(packet->contents, contents, bytes);
  packet->bytes = bytes;
  packet->due = way->busy_until + conditions.delay;
}

/* Hands over what is due; returns when the next packet is. */
static inline int64_t hand_over(struct direction *way, int64_t now) {
  while (way->first != way->end) {
    struct packet *packet = &way->packets[way->first % packets_max];
    if (packet->due > now) return packet->due;
    require(write(way->target, packet->contents, packet->bytes) > 0, "device");
    free(packet->contents);
    way->first += 1;
  }
  return INT64_MAX;
}

static inline void *run_link(void *argument) {
  struct link *link = argument;
  char contents[packet_bytes_max];
  for (;;) {
    int64_t now = nanoseconds(), next = INT64_MAX;
    struct pollfd polled[2];
    for (int index = 0; index < 2; index += 1) {
      struct direction *way = &link->directions[index];
      int64_t due = hand_over(way, now);
      if (due < next) next = due;
      polled[index] = (struct pollfd){.fd = way->source, .events = POLLIN};
    }
    int64_t wait = next == INT64_MAX ? 0 : next - now;
    struct timespec time = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
    require(ppoll(polled, 2, next == INT64_MAX ? NULL : &time, NULL) >= 0, "ppoll");
    now = nanoseconds();
    for (int index = 0; index < 2; index += 1) {
      struct direction *way = &link->directions[index];
      for (int count = 0; polled[index].revents && count < batch_packets; count += 1) {
        ssize_t bytes = read(way->source, contents, sizeof contents);
        if (bytes < 0 && errno == EAGAIN) break;
        require(bytes > 0, "device");
        take(way, link->conditions, contents, (size_t)bytes, now);
      }
    }
  }
  return NULL;
}

/* Begins to carry packets between a client's and a server's device. */
static inline void start_link(struct conditions conditions, int client, int server) {
  struct link *link = calloc(1, sizeof *link);
  require(link != NULL, "calloc");
  link->conditions = conditions;
  link->directions[0].source = link->directions[1].target = client;
  link->directions[0].target = link->directions[1].source = server;
  link->directions[1].number = 1;
  pthread_t thread;
  require(pthread_create(&thread, NULL, run_link, link) == 0, "pthread_create");
}

#endif
