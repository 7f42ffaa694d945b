extension Fabric {
  /// Sends a datagram over one link.
  func send(
    _ bytes: Span<UInt8>, over link: SimulatedLink, _ path: DatagramPath,
    multicastLoss: Ratio? = nil, sharing group: GroupPayload? = nil
  ) {
    let (source, destination) = (path.source, path.destination)
    let hash = group?.hash ?? Trace.hash(of: bytes)
    let (from, to, count) = (link.source, link.target, bytes.count)
    let event = trace.record(
      .sent, from: from, to: to, bytes: count, hash: hash,
      PacketHeader(source: source, destination: destination, payloadBytes: count),
      [UInt8](copying: bytes))
    let extraLoss =
      multicastLoss.map { SimulatedLink.ExtraLoss(chance: $0, reason: .multicast) }
      ?? SimulatedLink.ExtraLoss(
        chance: from == to ? .zero : link.conditions.datagramLoss, reason: .datagram)
    let size = bytes.count + (source.address.family == .v4 ? 28 : 48)
    let fate = fate(
      of: bytes.count, size, over: link, .udp, source, destination, extraLoss: extraLoss)
    guard let arrival = fate.arrival else {
      return trace.recordLoss(
        fate.loss, of: event, from: from, to: to, bytes: count,
        PacketHeader(source: source, destination: destination, payloadBytes: count))
    }
    let index = datagrams.add(bytes, shared: group?.content, path, link, event)
    if let damage = fate.damage { datagrams.harm(index, damage) }
    if !dispatch(EventSlot(.datagram, index), over: link, size, at: arrival) { loseHeld(index) }
    if let again = fate.duplicate {
      let index = datagrams.add(bytes, shared: group?.content, path, link, event)
      if !dispatch(EventSlot(.datagram, index), over: link, size, at: again) { loseHeld(index) }
    }
  }

  private func loseHeld(_ index: Int) {
    let datagram = datagrams.take(index)
    recordArrival(of: datagram, .queue)
    datagrams.recycle(index, datagram)
  }

  /// Sends a datagram to every host that has joined the group, on each link's own terms.
  ///
  /// With a hop limit of 0 it does not leave its host.
  func multicast(_ bytes: Span<UInt8>, of sender: Int, _ path: DatagramPath, loops: Bool) {
    let payload = GroupPayload(bytes, path)
    for member in members(of: path.destination.address, heardBy: sender)
    where member == sender ? loops : path.hopLimit > 0 {
      multicast(payload, over: link(from: sender, to: member))
    }
    if !faults.copies.isEmpty { sendCopies(bytes, of: sender, path) }
  }

  private func multicast(_ payload: GroupPayload, over link: SimulatedLink) {
    let (content, bytes) = (payload.content, payload.content.bytes)
    let isLocal = link.source == link.target
    let loss = isLocal ? Ratio.zero : max(multicastLoss, link.conditions.multicastLoss)
    send(
      bytes.span, over: link, content.path, multicastLoss: loss, sharing: payload)
  }

  /// Has a multicast heard once more, as faults want it; a copy has no copies.
  private func sendCopies(_ bytes: Span<UInt8>, of sender: Int, _ path: DatagramPath) {
    let (source, destination) = (path.source, path.destination)
    let bytes = [UInt8](copying: bytes)
    for copy in faults.copies where copy.isReflected != (copy.host == sender) {
      if copy.isReflected {
        let heard = members(of: destination.address, heardBy: sender).contains(copy.host)
        guard heard, faults.obstacle(on: link(from: sender, to: copy.host)) == nil else { continue }
      }
      scheduler.schedule(at: scheduler.now + copy.after) { [unowned self] in
        let speaker =
          copy.isReflected
          ? Endpoint(hosts.address(of: copy.host, destination.address.family), port: source.port)
          : source
        let packet = GroupPayload(
          bytes.span, DatagramPath(speaker, destination, hopLimit: path.hopLimit))
        for member in members(of: destination.address, heardBy: copy.host) where member != copy.host
        {
          multicast(packet, over: link(from: copy.host, to: member))
        }
      }
    }
  }

  func deliverDatagram(_ index: Int) {
    let datagram = datagrams.take(index)
    let kernel = kernel(Int(datagram.to))
    if !hosts.has(datagram.destination.address, kernel.index) {
      recordArrival(of: datagram, .address)
    } else if datagram.destination.address.isMulticast {
      let receivers = kernel.datagramSockets.receivers(of: datagram.destination)
      recordArrival(of: datagram, kernel.refusal(of: datagram.bytes.count, by: receivers))
      for receiver in receivers { receiver.receive(datagram) }
    } else {
      let receiver = kernel.datagramSockets.receiver(of: datagram.destination)
      recordArrival(of: datagram, kernel.refusal(of: datagram.bytes.count, by: receiver))
      receiver?.receive(datagram)
    }
    datagrams.recycle(index, datagram)
  }

  private func recordArrival(of datagram: borrowing DatagramInFlight, _ refusal: TraceEvent.Loss?) {
    let (from, to, count) = (Int(datagram.from), Int(datagram.to), datagram.bytes.count)
    if let refusal {
      trace.recordLoss(
        refusal, of: datagram.event, from: from, to: to, bytes: count, datagram.packet)
    } else {
      trace.recordDelivery(of: datagram.event, from: from, to: to, bytes: count, datagram.packet)
    }
  }
}

/// What a multicast carries to all of its receivers: in memory once, and hashed once.
struct GroupPayload {
  let content = DatagramContent(isShared: true)
  let hash: UInt64

  init(_ bytes: Span<UInt8>, _ path: DatagramPath) {
    content.bytes = [UInt8](copying: bytes)
    content.set(path)
    hash = Trace.hash(of: bytes)
  }
}
