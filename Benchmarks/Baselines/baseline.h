/* What the baselines share: the clock, TCP over 127.0.0.1, and giving up. */
#ifndef BASELINE_H
#define BASELINE_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { batch_bytes = 65536 };

static inline void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(EXIT_FAILURE);
}

/* CLOCK_MONOTONIC, which all processes of a machine share. */
static inline int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/* Small messages leave at once, as they do from Earshot and libzmq. */
static inline void send_at_once(int descriptor) {
  int on = 1;
  require(setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "setsockopt");
}

/* Listens on a free port, says which, and waits for one connection. */
static inline int accept_one(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  require(listener >= 0, "socket");
  require(bind(listener, (struct sockaddr *)&address, length) == 0, "bind");
  require(listen(listener, 1) == 0, "listen");
  require(getsockname(listener, (struct sockaddr *)&address, &length) == 0, "getsockname");
  printf("ready %d\n", ntohs(address.sin_port));
  fflush(stdout);
  int connection = accept(listener, NULL, NULL);
  require(connection >= 0, "accept");
  send_at_once(connection);
  close(listener);
  return connection;
}

static inline int connect_to(int port) {
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = loopback(port);
  require(connection >= 0, "socket");
  require(connect(connection, (struct sockaddr *)&address, sizeof address) == 0, "connect");
  send_at_once(connection);
  return connection;
}

static inline void write_all(int descriptor, const void *bytes, size_t count) {
  for (size_t written = 0; written < count;) {
    ssize_t taken = write(descriptor, (const char *)bytes + written, count - written);
    require(taken > 0, "write");
    written += (size_t)taken;
  }
}

static inline void read_all(int descriptor, void *bytes, size_t count) {
  for (size_t received = 0; received < count;) {
    ssize_t arrived = read(descriptor, (char *)bytes + received, count - received);
    require(arrived > 0, "read");
    received += (size_t)arrived;
  }
}

#endif
