/// A segment on its way.
struct SegmentInFlight: ~Copyable {
  var segment: Segment?
  let from: Int32
  let to: Int32
  /// The event of its sending.
  let event: Int
}

/// The segments that are on their way, by number.
struct SegmentsInFlight: ~Copyable {
  private var segments = Slab<SegmentInFlight>()

  mutating func add(_ segment: consuming Segment, over link: SimulatedLink, _ event: Int) -> Int {
    let index = segments.take(
      orAppend: SegmentInFlight(segment: nil, from: 0, to: 0, event: EventCause.none))
    segments[index] = SegmentInFlight(
      segment: segment, from: Int32(link.source), to: Int32(link.target), event: event)
    return index
  }

  /// The link that a segment takes.
  func link(of index: Int) -> ThreadKey {
    .link(from: segments[index].from, to: segments[index].to)
  }

  /// The hosts at the ends of a segment's way, and the event of its sending.
  func way(of index: Int) -> (from: Int, to: Int, event: Int) {
    (Int(segments[index].from), Int(segments[index].to), segments[index].event)
  }

  /// Takes a segment that arrives, and gives its place free.
  mutating func take(_ index: Int) -> Segment? {
    guard let segment = segments[index].segment.take() else { return nil }
    segments.recycle(index)
    return segment
  }
}

extension Fabric {
  /// Sends a segment over a link.
  func send(_ segment: consuming Segment, over link: SimulatedLink) {
    let count = segment.payload.count
    let event = recordSending(of: segment, over: link)
    let size =
      count + Segment.headerBytes(segment.source.address.family)
      + Segment.optionBytes(of: segment.flags, blocks: segment.blockCount)
    let fate = fate(of: count, size, over: link, .tcp, segment.source, segment.destination)
    guard let arrival = fate.arrival, fate.damage == nil else {
      return recordLoss(
        fate.arrival == nil ? fate.loss : .checksum, of: segment, event, from: link.source,
        to: link.target)
    }
    guard let again = fate.duplicate else {
      return dispatch(segment, over: link, event, size, at: arrival)
    }
    dispatch(segment.copy, over: link, event, size, at: arrival)
    dispatch(segment, over: link, event, size, at: again)
  }

  private func recordSending(of segment: borrowing Segment, over link: SimulatedLink) -> Int {
    let hash = Trace.hash(of: segment.payload.span)
    let marks = UInt64(segment.flags.rawValue) << 48 ^ UInt64(segment.sequenceNumber)
    return trace.record(
      .sent, from: link.source, to: link.target, bytes: segment.payload.count, hash: hash ^ marks,
      segment.packet, segment.payload)
  }

  private func recordLoss(
    _ loss: TraceEvent.Loss, of segment: borrowing Segment, _ event: Int, from: Int, to: Int
  ) {
    trace.recordLoss(
      loss, of: event, from: from, to: to, bytes: segment.payload.count, segment.packet)
  }

  private func dispatch(
    _ segment: consuming Segment, over link: SimulatedLink, _ event: Int, _ size: Int,
    at arrival: Int64
  ) {
    let index = segments.add(segment, over: link, event)
    guard !dispatch(EventSlot(.segment, index), over: link, size, at: arrival),
      let segment = segments.take(index)
    else { return }
    recordLoss(.queue, of: segment, event, from: link.source, to: link.target)
  }

  func deliverSegment(_ index: Int) {
    let (from, to, event) = segments.way(of: index)
    guard let segment = segments.take(index) else { return }
    let kernel = kernel(to)
    let isGone = !hosts.has(segment.destination.address, to)
    if let refusal = isGone ? .address : kernel.refusal(of: segment) {
      return recordLoss(refusal, of: segment, event, from: from, to: to)
    }
    trace.recordDelivery(
      of: event, from: from, to: to, bytes: segment.payload.count, segment.packet)
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
