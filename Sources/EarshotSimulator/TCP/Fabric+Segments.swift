/// A segment on its way.
struct SegmentInFlight {
  var segment: Segment?
  var from: Int32 = 0
  var to: Int32 = 0
  /// The event of its sending.
  var event = EventCause.none
}

/// The segments that are on their way, by number.
struct SegmentsInFlight: ~Copyable {
  private var segments = Slab<SegmentInFlight>()

  mutating func add(_ segment: Segment, over link: SimulatedLink, _ event: Int) -> Int {
    let index = segments.take(orAppend: SegmentInFlight())
    segments[index] = SegmentInFlight(
      segment: segment, from: Int32(link.source), to: Int32(link.target), event: event)
    return index
  }

  /// The link that a segment takes.
  func link(of index: Int) -> ThreadKey {
    .link(from: segments[index].from, to: segments[index].to)
  }

  /// Takes a segment that arrives, and gives its place free.
  mutating func take(_ index: Int) -> (segment: Segment, from: Int, to: Int, event: Int)? {
    guard let segment = segments[index].segment else { return nil }
    let (from, to) = (Int(segments[index].from), Int(segments[index].to))
    let event = segments[index].event
    segments[index].segment = nil
    segments.recycle(index)
    return (segment, from, to, event)
  }
}

extension Fabric {
  /// Sends a segment over a link.
  func send(_ segment: Segment, over link: SimulatedLink) {
    let count = segment.payload.count
    let hash = Trace.hash(of: segment.payload.span)
    let marks = UInt64(segment.flags.rawValue) << 48 ^ UInt64(segment.sequenceNumber)
    let event = trace.record(
      .sent, from: link.source, to: link.target, bytes: count, hash: hash ^ marks,
      segment.packet, segment.payload)
    let size =
      count + Segment.headerBytes(segment.source.address.family)
      + Segment.optionBytes(blocks: segment.blocks.count)
    let fate = fate(of: count, size, over: link, .tcp, segment.source, segment.destination)
    guard let arrival = fate.arrival else {
      return trace.recordLoss(
        fate.loss, of: event, from: link.source, to: link.target, bytes: count, segment.packet)
    }
    if fate.damage != nil {
      return trace.recordLoss(
        .checksum, of: event, from: link.source, to: link.target, bytes: count, segment.packet)
    }
    dispatch(segment, over: link, event, size, at: arrival)
    if let again = fate.duplicate { dispatch(segment, over: link, event, size, at: again) }
  }

  private func dispatch(
    _ segment: Segment, over link: SimulatedLink, _ event: Int, _ size: Int, at arrival: Int64
  ) {
    let index = segments.add(segment, over: link, event)
    guard !dispatch(EventSlot(.segment, index), over: link, size, at: arrival) else { return }
    _ = segments.take(index)
    trace.recordLoss(
      .queue, of: event, from: link.source, to: link.target, bytes: segment.payload.count,
      segment.packet)
  }

  func deliverSegment(_ index: Int) {
    guard let (segment, from, to, event) = segments.take(index) else { return }
    let count = segment.payload.count
    let kernel = kernel(to)
    let isGone = !hosts.has(segment.destination.address, to)
    if let refusal = isGone ? .address : kernel.refusal(of: segment) {
      return trace.recordLoss(
        refusal, of: event, from: from, to: to, bytes: count, segment.packet)
    }
    trace.recordDelivery(of: event, from: from, to: to, bytes: count, segment.packet)
    kernel.receive(segment)
  }

  /// Ends every connection between the hosts of a link, as if both had been sent a reset.
  func resetConnections(over link: SimulatedLink) {
    for (one, other) in [(link.source, link.target), (link.target, link.source)] {
      for connection in kernels[one].connections.sorted
      where hosts.host(at: connection.remoteEndpoint.address, from: one) == other {
        connection.fail(.connectionReset, errno: 104)
      }
    }
  }
}
