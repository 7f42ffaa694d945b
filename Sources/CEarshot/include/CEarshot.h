#ifndef CEARSHOT_H
#define CEARSHOT_H

/* What Swift cannot say: the macros and packed records of the system's headers. */

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "CEarshotStorage.h"
#include "CEarshotTerminal.h"

/* A socket, or an accepted connection, that does not block and is not inherited by other programs.
   Returns the descriptor, or -1 with errno set. */
int earshot_open_socket(int family, int type);
int earshot_accept(int listener, struct sockaddr_storage *peer, socklen_t *length);

/* Starts a program, which is sought in PATH unless it has a slash, in a process group of its own, with no signal held
   back and with three descriptors alone, /dev/null where one is negative.
   Returns 0 and its process, or an errno. */
int earshot_spawn(
    pid_t *process, char *const *words, char *const *environment, int input, int output, int errors);

/* How far a TCP connection got. */
struct earshot_progress {
  uint32_t unacknowledged_bytes; /* Written, and not acknowledged by the other side's system. */
  uint32_t least_round_trip_us;  /* 0 if it is not known. */
  uint64_t delivered;            /* Grows with every segment that was acknowledged, also out of order. */
  uint64_t arrived;              /* Grows with every segment with bytes that arrived, also out of order. */
  uint64_t retransmissions;      /* Segments that were sent again. */
};

/* Asks the system how far a TCP connection got. Returns 0, or -1 with errno set. */
int earshot_ask_progress(int descriptor, struct earshot_progress *progress);

/* What comes with a datagram, or is asked of the system for it. */
struct earshot_datagram {
  struct sockaddr_storage peer; /* Who sent it, or where it goes. */
  socklen_t peer_length;
  struct sockaddr_storage local; /* The address it was sent to, or is to come from (IPv4); no port. */
  uint32_t interface;            /* The index of the interface, 0 for none. */
  uint32_t segment_bytes;        /* The size of the datagrams that were joined into one, 0 for a single one. */
  uint32_t dropped;              /* How many the socket had no room for up to now; 0 if the system does not say. */
  int is_truncated;
  uint8_t hop_limit;             /* As it arrived; nothing is asked of the system by it. */
};

/* Receives one datagram, or several of one sender that the kernel has joined (UDP_GRO).
   Returns the number of bytes, or -1 with errno set. */
ssize_t earshot_receive(int descriptor, void *bytes, size_t capacity, struct earshot_datagram *datagram);

/* Sends one datagram, or several of `segment_bytes` each (UDP_SEGMENT), on an interface if one is named.
   Returns the number of bytes, or -1 with errno set. */
ssize_t earshot_send(int descriptor, const void *bytes, size_t count, const struct earshot_datagram *datagram);

/* Has a UDP socket say on which interface, to which address and with which hop limit a datagram came.
   Returns 0, or -1 with errno set. */
int earshot_enable_packet_info(int descriptor, int family);

/* Has a UDP socket say how many datagrams it had no room for. Returns 0, or -1 with errno set, also where there is no
   such thing. */
int earshot_enable_drop_count(int descriptor);

/* Has the kernel join datagrams of one sender. Returns 0, or -1 with errno set, also where there is no such thing. */
int earshot_enable_receive_joining(int descriptor);

/* Whether the kernel splits what is sent into datagrams. */
int earshot_can_send_segments(int descriptor);

/* Keeps what was sent to groups that other sockets have joined away from this one (IP_MULTICAST_ALL). */
int earshot_disable_multicast_all(int descriptor, int family);

/* A descriptor that is told of changes of interfaces and addresses, or -1 with errno set. */
int earshot_open_interface_monitor(void);

/* The index of the interface that the routes of the system lead to an address by; 0 if none does, if the address is
   the host's own, or if the system is not asked: Linux alone is. */
unsigned earshot_route_interface(const struct sockaddr *destination);

/* Keeps a socket to an interface, which takes no privilege from Linux 5.7 on; -1 with errno set. */
int earshot_bind_to_interface(int descriptor, unsigned interface);

/* Lets the process have so many descriptors, as far as it may raise its limit; gives how many of these it has. */
unsigned long earshot_raise_descriptor_limit(unsigned long wanted);

/* Allocates a block and frees it, though nobody uses it. */
void earshot_allocate_and_free(size_t bytes);

/* Names the calling thread, for debuggers. */
void earshot_name_thread(const char *name);

/* The largest packet that an interface carries, in bytes; 1500 if the system does not say. */
int earshot_packet_bytes_max(const char *interface);

#if defined(__linux__)

/* One entry of epoll, whose own record is packed on some machines. */
struct earshot_readiness {
  uint64_t token;
  uint32_t events;
};

static const uint32_t earshot_readable = 1, earshot_writable = 4, earshot_over = 8 | 16;

/* A poll, a wake-up (eventfd) and an alarm (timerfd of the clock that runs on while the computer sleeps).
   Each returns the descriptor, or -1 with errno set. */
int earshot_poll_open(void);
int earshot_wake_up_open(void);
int earshot_alarm_open(void);

/* Adds, changes or removes a descriptor. With no events, failures are told once (EPOLLET).
   Each returns 0, or -1 with errno set. */
int earshot_poll_add(int poll, int descriptor, uint32_t events, uint64_t token);
int earshot_poll_change(int poll, int descriptor, uint32_t events, uint64_t token);
int earshot_poll_remove(int poll, int descriptor);

/* Makes a wake-up readable. */
void earshot_wake(int wake_up);

/* Makes an alarm readable at a time in nanoseconds, at once if it has passed. */
void earshot_alarm_set(int alarm, int64_t time);

/* Makes a wake-up or an alarm unreadable again. */
void earshot_quiet(int descriptor);

/* Waits until something is ready. Returns how many, or -1 with errno set. */
int earshot_poll_wait(int poll, struct earshot_readiness *ready, int capacity, int milliseconds);
#endif

#endif
