/* Network namespaces with a TUN device each, whose packets this program carries. Needs root. */
#ifndef NAMESPACES_H
#define NAMESPACES_H

#include "baseline.h"
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

/* A namespace: a descriptor to return to it, and its device, read and written a packet at a time. */
struct namespace {
  int self;
  int device;
};

static inline void set_parameter(const char *name, const char *value) {
  char path[128];
  snprintf(path, sizeof path, "/proc/sys/net/%s", name);
  int file = open(path, O_WRONLY);
  if (file < 0 && errno == ENOENT) return; /* A kernel without IPv6, say. */
  require(file >= 0, path);
  require(write(file, value, strlen(value)) > 0, path);
  close(file);
}

static inline struct sockaddr_in host_address(int host, int port) {
  struct sockaddr_in address = loopback(port);
  address.sin_addr.s_addr = htonl(0x0A4E0000u + (uint32_t)host); /* 10.78.0.0/24 */
  return address;
}

/* Opens a TUN device without offloads, gives it an address, and brings it up. */
static inline int open_device(int host, int mtu) {
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  require(device >= 0, "/dev/net/tun");
  strcpy(request.ifr_name, "link");
  require(ioctl(device, TUNSETIFF, &request) == 0, "TUNSETIFF");
  int control = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in address = host_address(host, 0), mask = host_address(0, 0);
  mask.sin_addr.s_addr = htonl(0xFFFFFF00);
  memcpy(&request.ifr_addr, &address, sizeof address);
  require(ioctl(control, SIOCSIFADDR, &request) == 0, "SIOCSIFADDR");
  memcpy(&request.ifr_netmask, &mask, sizeof mask);
  require(ioctl(control, SIOCSIFNETMASK, &request) == 0, "SIOCSIFNETMASK");
  request.ifr_mtu = mtu;
  require(ioctl(control, SIOCSIFMTU, &request) == 0, "SIOCSIFMTU");
  request.ifr_qlen = 20000; /* Only the link's own queue loses packets. */
  require(ioctl(control, SIOCSIFTXQLEN, &request) == 0, "SIOCSIFTXQLEN");
  require(ioctl(control, SIOCGIFFLAGS, &request) == 0, "SIOCGIFFLAGS");
  request.ifr_flags |= IFF_UP;
  require(ioctl(control, SIOCSIFFLAGS, &request) == 0, "SIOCSIFFLAGS");
  close(control);
  return device;
}

/* Makes a namespace and stays in it. What TCP learns of a path is not kept, and its buffers may
   grow as far as on a machine that nobody has tuned. */
static inline struct namespace enter_new_namespace(int host, int mtu) {
  require(unshare(CLONE_NEWNET) == 0, "unshare");
  set_parameter("ipv6/conf/all/disable_ipv6", "1");
  set_parameter("ipv6/conf/default/disable_ipv6", "1");
  set_parameter("ipv4/tcp_no_metrics_save", "1");
  set_parameter("ipv4/tcp_rmem", "4096 131072 6291456");
  set_parameter("ipv4/tcp_wmem", "4096 16384 4194304");
  struct namespace made = {.self = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
  require(made.self >= 0, "/proc/thread-self/ns/net");
  made.device = open_device(host, mtu);
  return made;
}

static inline void enter(struct namespace namespace) {
  require(setns(namespace.self, CLONE_NEWNET) == 0, "setns");
}

#endif
