/* Apart from the rest, since the kernel's header of TCP and the C library's do not agree. */
#include "CEarshot.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>

#if defined(__linux__)
#include <linux/sockios.h>
#include <linux/tcp.h>

int earshot_ask_progress(int descriptor, struct earshot_progress *progress) {
  struct tcp_info info;
  socklen_t length = sizeof info;
  int unacknowledged = 0;
  memset(&info, 0, sizeof info); /* An older kernel fills in less. */
  memset(progress, 0, sizeof *progress);
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
  if (ioctl(descriptor, SIOCOUTQ, &unacknowledged) != 0) return -1;
  progress->unacknowledged_bytes = unacknowledged > 0 ? (uint32_t)unacknowledged : 0;
  progress->least_round_trip_us = info.tcpi_min_rtt == UINT32_MAX ? 0 : info.tcpi_min_rtt;
  progress->delivered = info.tcpi_delivered;
  progress->arrived = info.tcpi_data_segs_in;
  progress->retransmissions = info.tcpi_total_retrans;
  return 0;
}
#elif defined(__APPLE__)
#include <netinet/tcp.h>
#include <sys/socket.h>

int earshot_ask_progress(int descriptor, struct earshot_progress *progress) {
  struct tcp_connection_info info;
  socklen_t length = sizeof info;
  memset(&info, 0, sizeof info);
  memset(progress, 0, sizeof *progress);
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_CONNECTION_INFO, &info, &length) != 0) return -1;
  progress->unacknowledged_bytes = info.tcpi_snd_sbbytes;
  progress->delivered = info.tcpi_txbytes - info.tcpi_snd_sbbytes; /* What is sent and still kept counts less. */
  progress->arrived = info.tcpi_rxbytes + info.tcpi_rxoutoforderbytes;
  progress->retransmissions = info.tcpi_txretransmitpackets;
  return 0;
}
#else
int earshot_ask_progress(int descriptor, struct earshot_progress *progress) {
  (void)descriptor;
  (void)progress;
  errno = ENOPROTOOPT;
  return -1;
}
#endif
