/// A segment on its way.
///
/// An object that is used again, so that the segment lies still from its sending until it was received.
final class SegmentInFlight {
  @exclusivity(unchecked) fileprivate(set) var segment: Segment
  @exclusivity(unchecked) fileprivate(set) var from: Int32
  @exclusivity(unchecked) fileprivate(set) var to: Int32
  /// The event of its sending.
  @exclusivity(unchecked) fileprivate(set) var event: Int

  fileprivate init(_ segment: consuming Segment, _ link: SimulatedLink, _ event: Int) {
    self.segment = segment
    self.event = event
    (from, to) = (Int32(link.source), Int32(link.target))
  }
}

/// The segments that are on their way, by number.
struct SegmentsInFlight: ~Copyable {
  private var segments = Slab<SegmentInFlight?>()

  mutating func add(_ segment: consuming Segment, over link: SimulatedLink, _ event: Int) -> Int {
    let index = segments.take(orAppend: nil)
    if let used = segments[index] {
      used.segment = segment
      (used.from, used.to, used.event) = (Int32(link.source), Int32(link.target), event)
    } else {
      segments[index] = SegmentInFlight(segment, link, event)
    }
    return index
  }

  /// The link that a segment takes.
  func link(of index: Int) -> ThreadKey? {
    segments[index].map { .link(from: $0.from, to: $0.to) }
  }

  /// A segment that arrives; its place is kept for it until ``recycle(_:)``.
  subscript(index: Int) -> SegmentInFlight? { segments[index] }

  /// Gives the place of a segment free, and lets go of what it carried.
  mutating func recycle(_ index: Int) {
    segments[index]?.segment.empty()
    segments.recycle(index)
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
    if dispatch(EventSlot(.segment, index), over: link, size, at: arrival) { return }
    if let held = segments[index] {
      recordLoss(.queue, of: held.segment, event, from: link.source, to: link.target)
    }
    segments.recycle(index)
  }

  func deliverSegment(_ index: Int) {
    if let arrived = segments[index] { deliver(arrived) }
    segments.recycle(index)
  }

  private func deliver(_ arrived: SegmentInFlight) {
    let (from, to) = (Int(arrived.from), Int(arrived.to))
    let kernel = kernel(to)
    let isGone = !hosts.has(arrived.segment.destination.address, to)
    if let refusal = isGone ? .address : kernel.refusal(of: arrived.segment) {
      return recordLoss(refusal, of: arrived.segment, arrived.event, from: from, to: to)
    }
    trace.recordDelivery(
      of: arrived.event, from: from, to: to, bytes: arrived.segment.payload.count,
      arrived.segment.packet)
    kernel.receive(arrived.segment)
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
