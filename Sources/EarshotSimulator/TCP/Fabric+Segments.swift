/// A segment on its way, which lies still from its sending until it was received.
struct SegmentInFlight: ~Copyable {
  let segment: Segment
  let from: Int32
  let to: Int32
  /// The event of its sending.
  let event: Int

  init(_ segment: consuming Segment, over link: SimulatedLink, _ event: Int) {
    self.segment = segment
    self.event = event
    (from, to) = (Int32(link.source), Int32(link.target))
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
    let index = segments.add(SegmentInFlight(segment, over: link, event))
    if dispatch(EventSlot(.segment, index), over: link, size, at: arrival) { return }
    recordLoss(
      .queue, of: segments.pointer(to: index).pointee.segment, event, from: link.source,
      to: link.target)
    segments.remove(index)
  }

  func deliverSegment(_ index: Int) {
    deliver(segments.pointer(to: index))
    segments.remove(index)
  }

  private func deliver(_ arrived: UnsafeMutablePointer<SegmentInFlight>) {
    withKernel(of: arrived.pointee.to) { deliver(arrived, to: $0) }
  }

  private func deliver(_ arrived: UnsafeMutablePointer<SegmentInFlight>, to kernel: HostKernel) {
    let (from, to) = (Int(arrived.pointee.from), kernel.index)
    let isGone = !hosts.has(arrived.pointee.segment.destination.address, to)
    if let refusal = isGone ? .address : kernel.refusal(of: arrived.pointee.segment) {
      return recordLoss(
        refusal, of: arrived.pointee.segment, arrived.pointee.event, from: from, to: to)
    }
    trace.recordDelivery(
      of: arrived.pointee.event, from: from, to: to, bytes: arrived.pointee.segment.payload.count,
      arrived.pointee.segment.packet)
    kernel.receive(arrived.pointee.segment)
  }

  /// The link that a segment takes.
  func linkOfSegment(_ index: Int) -> ThreadKey {
    let segment = segments.pointer(to: index)
    return .link(from: segment.pointee.from, to: segment.pointee.to)
  }

  /// Ends every connection between the hosts of a link, as if both had been sent a reset.
  func resetConnections(over link: SimulatedLink, noting strike: FaultStrike) {
    for (one, other) in [(link.source, link.target), (link.target, link.source)] {
      for connection in kernels[one].takeUnretainedValue().connections.sorted
      where hosts.host(at: connection.remoteEndpoint.address, from: one) == other {
        strike.note()
        connection.fail(.connectionReset, errno: 104)
      }
    }
  }
}
