extension Fabric {
  /// Sends a datagram over one link.
  func send(
    _ bytes: Span<UInt8>, over link: SimulatedLink, _ path: DatagramPath,
    multicastLoss: Ratio? = nil, sharing multicast: MulticastInFlight? = nil
  ) {
    let (source, destination) = (path.source, path.destination)
    let hash = multicast?.hash ?? Trace.hash(of: bytes)
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
    if let multicast, fate.isPlain, scheduler.isInOrder, !faults.holds(link),
      multicast.add(
        to, at: max(arrival, scheduler.now), place: scheduler.takeSequence, sentBy: event)
    {
      return
    }
    let index = datagrams.add(bytes, shared: multicast?.content, path, link, event)
    if let damage = fate.damage { datagrams.harm(index, damage) }
    if !dispatch(EventSlot(.datagram, index), over: link, size, at: arrival) { loseHeld(index) }
    if let again = fate.duplicate {
      let index = datagrams.add(bytes, shared: multicast?.content, path, link, event)
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
    let hosts = members(of: path.destination.address, heardBy: sender).filter {
      $0 == sender ? loops : path.hopLimit > 0
    }
    multicast(bytes, path, from: sender, to: hosts)
    if !faults.copies.isEmpty { sendCopies(bytes, of: sender, path) }
  }

  private func multicast(
    _ bytes: Span<UInt8>, _ path: DatagramPath, from sender: Int, to hosts: [Int]
  ) {
    let multicast = MulticastInFlight(
      bytes, path, from: sender, at: scheduler.now, before: scheduler.nextSequence,
      trace.eventCount)
    multicast.reserveCapacity(hosts.count)
    for host in hosts { send(multicast, over: link(from: sender, to: host)) }
    guard !multicast.isOver else { return }
    multicast.sort()
    if let first = multicasts.add(multicast) { scheduler.push(first) }
  }

  private func send(_ multicast: MulticastInFlight, over link: SimulatedLink) {
    let content = multicast.content
    let isLocal = link.source == link.target
    let loss = isLocal ? Ratio.zero : max(multicastLoss, link.conditions.multicastLoss)
    content.withBytes {
      send($0, over: link, content.path, multicastLoss: loss, sharing: multicast)
    }
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
      copy.strike.note()
      scheduler.schedule(at: scheduler.now + copy.after) { [unowned self] in
        let speaker =
          copy.isReflected
          ? Endpoint(hosts.address(of: copy.host, destination.address.family), port: source.port)
          : source
        let others = members(of: destination.address, heardBy: copy.host).filter {
          $0 != copy.host
        }
        multicast(
          bytes.span, DatagramPath(speaker, destination, hopLimit: path.hopLimit), from: copy.host,
          to: others)
      }
    }
  }

  func deliverDatagram(_ index: Int) {
    let datagram = datagrams.take(index)
    deliver(datagram)
    datagrams.recycle(index, datagram)
  }

  /// Delivers a multicast to the next one who hears it.
  func deliverMulticast(_ index: Int) {
    guard let multicast = multicasts[index] else { return }
    let datagram = multicast.takeNext()
    if let next = multicast.key(in: EventSlot(.multicast, index)) {
      scheduler.push(next)
    } else {
      multicasts.remove(index)
    }
    deliver(datagram)
  }

  private func deliver(_ datagram: borrowing DatagramInFlight) {
    withKernel(of: datagram.to) { deliver(datagram, to: $0) }
  }

  private func deliver(_ datagram: borrowing DatagramInFlight, to kernel: HostKernel) {
    if !hosts.has(datagram.destination.address, kernel.index) {
      recordArrival(of: datagram, .address)
    } else if datagram.destination.address.isMulticast {
      if let receiver = kernel.datagramSockets.onlyReceiver(of: datagram.destination) {
        recordArrival(of: datagram, kernel.refusal(of: datagram.byteCount, by: receiver))
        return receiver.receive(datagram)
      }
      let receivers = kernel.datagramSockets.receivers(of: datagram.destination)
      recordArrival(of: datagram, kernel.refusal(of: datagram.byteCount, by: receivers))
      for receiver in receivers { receiver.receive(datagram) }
    } else if let receiver = kernel.datagramSockets.receiver(of: datagram.destination) {
      recordArrival(of: datagram, kernel.refusal(of: datagram.byteCount, by: receiver))
      receiver.receive(datagram)
    } else {
      recordArrival(of: datagram, kernel.refusal(of: datagram.byteCount, by: nil))
    }
  }

  private func recordArrival(of datagram: borrowing DatagramInFlight, _ refusal: TraceEvent.Loss?) {
    let (from, to, count) = (Int(datagram.from), Int(datagram.to), datagram.byteCount)
    if let refusal {
      trace.recordLoss(
        refusal, of: datagram.event, from: from, to: to, bytes: count, datagram.packet)
    } else {
      trace.recordDelivery(of: datagram.event, from: from, to: to, bytes: count, datagram.packet)
    }
  }
}
