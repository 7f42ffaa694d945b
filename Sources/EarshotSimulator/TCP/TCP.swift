/// The transmission control protocol as the kernels of simulated hosts speak it.
///
/// They behave as Linux's do as it is installed, with the congestion control `cubic`; `LinuxComparisonTests` keeps them to
/// measured figures, of `reno` too, and the benchmark `Calibration` puts both side by side.
///
/// Modelled are: connections that open and end with SYN and FIN, resets, receive windows and probes of a closed
/// window, delayed acknowledgements, timestamps (RFC 7323), selective acknowledgements (RFC 2018) also of what has
/// arrived twice (RFC 2883), the retransmission timeout (RFC 6298) with its back-off, in ticks of the kernel, slow start
/// that ends before the queue overflows (HyStart), congestion avoidance along a cubic function of time (RFC 9438), fast
/// recovery (RFC 5681, RFC 6675) with proportional rate reduction (RFC 6937), losses
/// found by time and probed for at the tail (RFC 8985), losses that prove to be none (RFC 3522, RFC 5682), the
/// user timeout, and buffers that grow: the receiver's from 64 KiB, the sender's from 45 KiB, both to 4 MiB. Over links with
/// losses or a bandwidth the first sixteen segments are acknowledged at once.
///
/// Not modelled are:
/// * sequence numbers that wrap, begin anywhere but at zero, or are taken by a SYN; the states between the
///   first FIN and the last: a connection that is over is kept for a minute, on both sides; simultaneous
///   open; old segments that reach a new connection of the same ports (PAWS);
/// * any congestion control but CUBIC and Reno (BBR), pacing, explicit congestion notification; a reordering window that grows
///   with what has arrived twice;
/// * acknowledgements at once of what ends a write, and those that wait because many are due;
/// * Nagle's algorithm, which Earshot turns off, urgent data, keep-alives, TCP Fast Open;
/// * the memory that a segment takes besides its bytes; SYN cookies, and listeners' queues beyond their length;
/// * the network's answers: ICMP, path MTU discovery. A link without loss and bandwidth carries segments of
///   up to 64 KiB, as segmentation offload hands them on.
enum TCP {
  /// The largest payload of a segment on Ethernet, beside the timestamps.
  static let segmentBytes = 1_448
  /// How long an acknowledgement is put off, in nanoseconds: Linux's least.
  static let delayedAcknowledgement: Int64 = 40_000_000
  /// How long the other side may put an acknowledgement off, in nanoseconds: the most that Linux allows for.
  static let delayedAcknowledgementMax: Int64 = 200_000_000
  /// How long a connection is kept that is over, in nanoseconds: Linux's TIME_WAIT and orphaned FIN_WAIT2.
  static let timeWait: Int64 = 60_000_000_000
  /// How many duplicate acknowledgements show a loss (RFC 5681).
  static let duplicateAcknowledgementThreshold = 3
  /// How many retransmission timeouts, or window probes without an answer, end a connection: Linux's `tcp_retries2`.
  static let retriesMax = 15
  /// How many SYNs are sent again before the connection has failed: Linux's `tcp_syn_retries`, besides those that follow
  /// each other evenly.
  static let retriesOfSYNMax = 6
  /// How many SYNs are sent again a second after the one before, until the time doubles: Linux's `tcp_syn_linear_timeouts`.
  static let evenRetriesOfSYN = 4
}
