#if defined(__linux__)
#define _GNU_SOURCE
#endif
#if defined(__APPLE__)
#define __APPLE_USE_RFC_3542
#endif

#include "CEarshot.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif
#ifndef SOL_UDP
#define SOL_UDP 17
#endif
#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29
#endif
#elif defined(__APPLE__)
#include <net/route.h>
#endif

#if !defined(__linux__)
static int prepare(int descriptor) {
  int on = 1;
  if (descriptor < 0) return -1;
  if (fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0) {
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    return descriptor;
  }
  int failure = errno;
  close(descriptor);
  errno = failure;
  return -1;
}
#endif

int earshot_open_socket(int family, int type) {
#if defined(__linux__)
  return socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
#else
  return prepare(socket(family, type, 0));
#endif
}

int earshot_accept(int listener, struct sockaddr_storage *peer, socklen_t *length) {
  *length = sizeof *peer;
#if defined(__linux__)
  return accept4(listener, (struct sockaddr *)peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
  return prepare(accept(listener, (struct sockaddr *)peer, length));
#endif
}

static void note_control(struct cmsghdr *control, struct earshot_datagram *datagram) {
  if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
    struct in_pktinfo info;
    memcpy(&info, CMSG_DATA(control), sizeof info);
    struct sockaddr_in *local = (struct sockaddr_in *)&datagram->local;
    local->sin_family = AF_INET;
    local->sin_addr = info.ipi_addr;
    datagram->interface = info.ipi_ifindex;
  } else if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
    struct in6_pktinfo info;
    memcpy(&info, CMSG_DATA(control), sizeof info);
    struct sockaddr_in6 *local = (struct sockaddr_in6 *)&datagram->local;
    local->sin6_family = AF_INET6;
    local->sin6_addr = info.ipi6_addr;
    datagram->interface = info.ipi6_ifindex;
  } else if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_HOPLIMIT) {
    int hops = 0;
    memcpy(&hops, CMSG_DATA(control), sizeof hops);
    datagram->hop_limit = (uint8_t)hops;
#if defined(__linux__)
  } else if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_TTL) {
    int hops = 0;
    memcpy(&hops, CMSG_DATA(control), sizeof hops);
    datagram->hop_limit = (uint8_t)hops;
#else
  } else if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_RECVTTL) {
    memcpy(&datagram->hop_limit, CMSG_DATA(control), sizeof datagram->hop_limit);
#endif
  }
#if defined(__linux__)
  if (control->cmsg_level == SOL_UDP && control->cmsg_type == UDP_GRO) {
    int bytes = 0;
    memcpy(&bytes, CMSG_DATA(control), sizeof bytes);
    datagram->segment_bytes = bytes > 0 ? (uint32_t)bytes : 0;
  } else if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_RXQ_OVFL) {
    memcpy(&datagram->dropped, CMSG_DATA(control), sizeof datagram->dropped);
  }
#endif
}

ssize_t earshot_receive(int descriptor, void *bytes, size_t capacity, struct earshot_datagram *datagram) {
  union {
    struct cmsghdr header;
    char bytes[256];
  } control;
  struct iovec vector = {bytes, capacity};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  memset(datagram, 0, sizeof *datagram);
  message.msg_name = &datagram->peer;
  message.msg_namelen = sizeof datagram->peer;
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  ssize_t count = recvmsg(descriptor, &message, 0);
  if (count < 0) return count;
  datagram->peer_length = message.msg_namelen;
  datagram->is_truncated = (message.msg_flags & MSG_TRUNC) != 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) note_control(c, datagram);
  return count;
}

static struct cmsghdr *append_control(
    struct msghdr *message, size_t *used, int level, int type, const void *data, size_t count) {
  struct cmsghdr *control = (struct cmsghdr *)((char *)message->msg_control + *used);
  control->cmsg_level = level;
  control->cmsg_type = type;
  control->cmsg_len = CMSG_LEN(count);
  memcpy(CMSG_DATA(control), data, count);
  *used += CMSG_SPACE(count);
  return control;
}

ssize_t earshot_send(int descriptor, const void *bytes, size_t count, const struct earshot_datagram *datagram) {
  union {
    struct cmsghdr header;
    char bytes[256];
  } control;
  struct iovec vector = {(void *)bytes, count};
  struct msghdr message;
  size_t used = 0;
  memset(&message, 0, sizeof message);
  memset(&control, 0, sizeof control);
  message.msg_name = (void *)&datagram->peer;
  message.msg_namelen = datagram->peer_length;
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  if (datagram->interface && datagram->peer.ss_family == AF_INET) {
    struct in_pktinfo info;
    memset(&info, 0, sizeof info);
    info.ipi_ifindex = datagram->interface;
    info.ipi_spec_dst = ((const struct sockaddr_in *)&datagram->local)->sin_addr;
    append_control(&message, &used, IPPROTO_IP, IP_PKTINFO, &info, sizeof info);
  } else if (datagram->interface) {
    struct in6_pktinfo info;
    memset(&info, 0, sizeof info);
    info.ipi6_ifindex = datagram->interface;
    append_control(&message, &used, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof info);
  }
#if defined(__linux__)
  if (datagram->segment_bytes && datagram->segment_bytes < count) {
    uint16_t segment = (uint16_t)datagram->segment_bytes;
    append_control(&message, &used, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment);
  }
#endif
  message.msg_controllen = used;
  if (!used) message.msg_control = NULL;
  return sendmsg(descriptor, &message, MSG_DONTWAIT
#if defined(MSG_NOSIGNAL)
                                           | MSG_NOSIGNAL
#endif
  );
}

int earshot_enable_packet_info(int descriptor, int family) {
  int on = 1;
  if (family == AF_INET) {
    if (setsockopt(descriptor, IPPROTO_IP, IP_RECVTTL, &on, sizeof on) != 0) return -1;
    return setsockopt(descriptor, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  }
  if (setsockopt(descriptor, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, &on, sizeof on) != 0) return -1;
  return setsockopt(descriptor, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
}

int earshot_enable_drop_count(int descriptor) {
#if defined(__linux__)
  int on = 1;
  return setsockopt(descriptor, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
#else
  (void)descriptor;
  errno = ENOPROTOOPT;
  return -1;
#endif
}

int earshot_enable_receive_joining(int descriptor) {
#if defined(__linux__)
  int on = 1;
  return setsockopt(descriptor, SOL_UDP, UDP_GRO, &on, sizeof on);
#else
  (void)descriptor;
  errno = ENOPROTOOPT;
  return -1;
#endif
}

int earshot_can_send_segments(int descriptor) {
#if defined(__linux__)
  int bytes = 0;
  socklen_t length = sizeof bytes;
  return getsockopt(descriptor, SOL_UDP, UDP_SEGMENT, &bytes, &length) == 0;
#else
  (void)descriptor;
  return 0;
#endif
}

int earshot_disable_multicast_all(int descriptor, int family) {
#if defined(__linux__)
  int off = 0;
  if (family == AF_INET) return setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof off);
  return setsockopt(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_ALL, &off, sizeof off);
#else
  (void)descriptor;
  (void)family;
  return 0;
#endif
}

int earshot_open_interface_monitor(void) {
#if defined(__linux__)
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address;
  memset(&address, 0, sizeof address);
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
#else
  int descriptor = socket(PF_ROUTE, SOCK_RAW, 0);
  if (descriptor < 0) return -1;
  if (fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0) return descriptor;
#endif
  int failure = errno;
  close(descriptor);
  errno = failure;
  return -1;
}

unsigned earshot_route_interface(const struct sockaddr *destination) {
#if defined(__linux__)
  int isV6 = destination->sa_family == AF_INET6;
  const void *bytes = isV6 ? (const void *)&((const struct sockaddr_in6 *)destination)->sin6_addr
                           : (const void *)&((const struct sockaddr_in *)destination)->sin_addr;
  unsigned length = isV6 ? 16 : 4;
  struct {
    struct nlmsghdr header;
    struct rtmsg route;
    char attributes[64];
  } question;
  memset(&question, 0, sizeof question);
  question.header.nlmsg_type = RTM_GETROUTE;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.route.rtm_family = (unsigned char)destination->sa_family;
  question.route.rtm_dst_len = (unsigned char)(8 * length);
  struct rtattr *attribute = (struct rtattr *)question.attributes;
  attribute->rta_type = RTA_DST;
  attribute->rta_len = (unsigned short)RTA_LENGTH(length);
  memcpy(RTA_DATA(attribute), bytes, length);
  question.header.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)) + RTA_LENGTH(length);

  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return 0;
  /* The kernel answers within the call that asks. */
  _Alignas(struct nlmsghdr) char answer[4096];
  ssize_t count = send(descriptor, &question, question.header.nlmsg_len, 0);
  if (count >= 0) count = recv(descriptor, answer, sizeof answer, 0);
  close(descriptor);

  const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
  if (count < 0 || !NLMSG_OK(header, (unsigned)count) || header->nlmsg_type != RTM_NEWROUTE) return 0;
  const struct rtmsg *route = NLMSG_DATA(header);
  if (route->rtm_type != RTN_UNICAST) return 0;
  int left = (int)RTM_PAYLOAD(header);
  for (const struct rtattr *part = RTM_RTA(route); RTA_OK(part, left); part = RTA_NEXT(part, left)) {
    unsigned index;
    if (part->rta_type != RTA_OIF || RTA_PAYLOAD(part) < sizeof index) continue;
    memcpy(&index, RTA_DATA(part), sizeof index);
    return index;
  }
#endif
  return 0;
}

int earshot_bind_to_interface(int descriptor, unsigned interface) {
#if defined(__linux__)
  char name[IF_NAMESIZE];
  if (if_indextoname(interface, name) == NULL) return -1;
  return setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name));
#else
  errno = ENOTSUP;
  return -1;
#endif
}

unsigned long earshot_raise_descriptor_limit(unsigned long wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
    struct rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur < wanted ? (unsigned long)limit.rlim_cur : wanted;
}

void earshot_allocate_and_free(size_t bytes) {
  void *volatile block = malloc(bytes); /* Volatile, or the compiler leaves both calls out. */
  free(block);
}

void earshot_name_thread(const char *name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}

int earshot_packet_bytes_max(const char *interface) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strncpy(request.ifr_name, interface, sizeof request.ifr_name - 1);
  int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
  int result = descriptor < 0 ? -1 : ioctl(descriptor, SIOCGIFMTU, &request);
  if (descriptor >= 0) close(descriptor);
  return result < 0 ? 1500 : request.ifr_mtu;
}

#if defined(__linux__)
int earshot_poll_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int earshot_wake_up_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int earshot_alarm_open(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

static int control(int poll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = events ? events : EPOLLET;
  event.data.u64 = token;
  return epoll_ctl(poll, operation, descriptor, &event);
}

int earshot_poll_add(int poll, int descriptor, uint32_t events, uint64_t token) {
  return control(poll, EPOLL_CTL_ADD, descriptor, events, token);
}

int earshot_poll_change(int poll, int descriptor, uint32_t events, uint64_t token) {
  return control(poll, EPOLL_CTL_MOD, descriptor, events, token);
}

int earshot_poll_remove(int poll, int descriptor) { return control(poll, EPOLL_CTL_DEL, descriptor, 0, 0); }

void earshot_wake(int wake_up) { eventfd_write(wake_up, 1); }

void earshot_alarm_set(int alarm, int64_t time) {
  struct itimerspec setting;
  memset(&setting, 0, sizeof setting);
  if (time < 1) time = 1; /* 0 would stop it. */
  setting.it_value.tv_sec = time / 1000000000;
  setting.it_value.tv_nsec = time % 1000000000;
  timerfd_settime(alarm, TFD_TIMER_ABSTIME, &setting, NULL);
}

void earshot_quiet(int descriptor) {
  uint64_t count;
  ssize_t result = read(descriptor, &count, sizeof count);
  (void)result;
}

int earshot_poll_wait(int poll, struct earshot_readiness *ready, int capacity, int milliseconds) {
  enum { batch = 256 };
  struct epoll_event events[batch];
  int count = epoll_wait(poll, events, capacity < batch ? capacity : batch, milliseconds);
  for (int i = 0; i < count; i++) {
    ready[i].token = events[i].data.u64;
    ready[i].events = events[i].events;
  }
  return count;
}
#endif
