/// What a kernel knows of a connection (RFC 9293 §3.3.1): its state, both streams, and what has to be done when.
struct TransmissionControlBlock {
  enum State {
    case synSent, synReceived
    /// Also while either direction has ended.
    case established
    /// Forgotten by the kernel.
    case closed
  }
  var state: State
  var outbound: OutboundStream
  var inbound = InboundStream()
  var deadlines = Deadlines()
  /// The receive window that the other side knows of.
  var advertisedWindow = InboundStream.leastBufferBytes
  /// Bytes that arrived since the last acknowledgement.
  var unacknowledgedBytes = 0
  var quickAcknowledgements = QuickAcknowledgements()
  /// How many window probes in a row have found no room.
  var unansweredProbes = 0
  var counters = Counters()
  /// How many SYNs were sent again before the time between them began to double.
  var evenRetries = 0

  init(_ state: State, _ control: CongestionControl) {
    (self.state, outbound) = (state, OutboundStream(control))
  }

  /// When the kernel has to do something about a connection by itself.
  struct Deadlines {
    /// Retransmit a SYN, or probe a closed window.
    var retransmission: Int64?
    /// Send the delayed acknowledgement.
    var acknowledgement: Int64?
    /// Fail the connection: the time to connect or the user timeout has passed.
    var failure: Int64?
    /// Forget the connection, which has ended (TIME-WAIT).
    var timeWait: Int64?

    var next: Int64? {
      @inline(__always)
      get {
        let first = min(
          min(retransmission ?? .max, acknowledgement ?? .max),
          min(failure ?? .max, timeWait ?? .max))
        return first == .max ? nil : first
      }
    }
  }

  /// What a kernel counts of a connection for the application.
  struct Counters {
    var writtenBytes = 0
    var delivered: UInt64 = 0
    var arrived: UInt64 = 0
    /// SYNs that were sent again, as Linux's `tcpi_total_retrans` counts them too.
    var repeatedSYNs: UInt64 = 0
  }

  /// How far the transport got.
  var progress: TransportProgress {
    let leastRoundTrip = outbound.roundTrips.least
    return TransportProgress(
      unacknowledgedBytes: max(0, counters.writtenBytes - outbound.unacknowledged),
      deliveredCount: counters.delivered, arrivedCount: counters.arrived,
      leastRoundTrip: leastRoundTrip == .max ? nil : .nanoseconds(leastRoundTrip),
      retransmissionCount: counters.repeatedSYNs + outbound.retransmissionCount)
  }

  /// Counts what a segment says: that something in flight has arrived, or bytes.
  mutating func count(_ segment: borrowing Segment) {
    let isNews =
      segment.acknowledgementNumber > outbound.unacknowledged
      || !segment.selectiveAcknowledgements.isEmpty
    if outbound.isInFlight, isNews { counters.delivered += 1 }
    if !segment.payload.isEmpty { counters.arrived += 1 }
  }

  /// The first deadline of the connection or of what it has in flight.
  // Inlined, since the whole block is copied for a call.
  var deadline: Int64? {
    @inline(__always)
    get {
      let first = min(deadlines.next ?? .max, outbound.deadline ?? .max)
      return first == .max ? nil : first
    }
  }
}
