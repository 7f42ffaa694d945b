/// A datagram on its way.
struct DatagramInFlight {
  /// Used again for the next datagram in the same place.
  var bytes: [UInt8] = []
  var source = Endpoint(.anyV4, port: 0)
  var destination = Endpoint(.anyV4, port: 0)
  var from: Int32 = 0
  var to: Int32 = 0

  mutating func fill(
    _ bytes: Span<UInt8>, _ source: Endpoint, _ destination: Endpoint, _ link: Link
  ) {
    self.bytes.append(copying: bytes)
    (self.source, self.destination) = (source, destination)
    (from, to) = (Int32(link.source), Int32(link.target))
  }
}

extension Engine {
  /// Sends a datagram over one link.
  func send(
    _ bytes: Span<UInt8>, over link: Link, from source: Endpoint, to destination: Endpoint,
    extraLoss: Ratio = .zero
  ) {
    let hash = Trace.hash(of: bytes)
    record(
      .sent, .udp, from: link.source, to: link.target, bytes: bytes.count, hash: hash,
      "\(source) → \(destination), \(bytes.count) bytes", [UInt8](copying: bytes))
    let size = bytes.count + (source.address.isV4 ? 28 : 48)
    let fate = fate(
      of: bytes.count, size, over: link, .udp, source, destination, extraLoss: extraLoss)
    guard let arrival = fate.arrival else {
      return recordLoss(
        fate.loss, .udp, from: link.source, to: link.target, bytes: bytes.count,
        "\(source) → \(destination), \(bytes.count) bytes")
    }
    launch(bytes, over: link, from: source, to: destination, arriving: arrival)
    if let again = fate.duplicate {
      launch(bytes, over: link, from: source, to: destination, arriving: again)
    }
  }

  /// What becomes of a packet, after faults, rules and the link have had their say.
  func fate(
    of payloadBytes: Int, _ bytes: Int, over link: Link, _ kind: Packet.Kind, _ source: Endpoint,
    _ destination: Endpoint, extraLoss: Ratio = .zero
  ) -> Link.Fate {
    let fate = link.send(bytes, at: now, extraLoss: extraLoss)
    if let obstacle = fabric.obstacle(on: link) { return .lost(obstacle) }
    guard fabric.hasRules else { return fate }
    let packet = Packet(
      kind: kind, from: fabric.name(of: link.source), to: fabric.name(of: link.target),
      source: source, destination: destination, payloadBytes: payloadBytes)
    switch fabric.verdict(packet, at: instant) {
    case .drop: return .lost(.rule)
    case .deliver(let delay): return Link.Fate(arrival: now + max(0, delay.nanoseconds))
    case .pass, nil: return fate
    }
  }

  private func launch(
    _ bytes: Span<UInt8>, over link: Link, from source: Endpoint, to destination: Endpoint,
    arriving time: Int64
  ) {
    let index = datagrams.take(orAppend: DatagramInFlight())
    datagrams[index].fill(bytes, source, destination, link)
    push(EventSlot(.datagram, index), at: time)
  }

  /// Sends a datagram to every host that has joined the group, on each link's own terms.
  func multicast(
    _ bytes: Span<UInt8>, from socket: SimulatedDatagramSocket, to destination: Endpoint
  ) {
    let source = socket.source(to: destination.address)
    let sender = socket.host.index
    for member in fabric.members(of: destination.address, heardBy: sender)
    where member == sender
      ? socket.options.loopsMulticast : socket.options.multicastHopLimit > 0
    {
      let link = fabric.link(from: sender, to: member)
      let loss = member == sender ? Ratio.zero : fabric.multicastLoss
      send(bytes, over: link, from: source, to: destination, extraLoss: loss)
    }
  }

  private func recordArrival(
    _ refusal: TraceEvent.Loss?, _ from: Int, _ to: Int, _ count: Int, _ header: DatagramHeader,
    _ destination: Endpoint
  ) {
    guard let refusal else {
      return record(
        .delivered, .udp, from: from, to: to, bytes: count,
        "\(header.source) → \(destination), \(count) bytes")
    }
    recordLoss(
      refusal, .udp, from: from, to: to, bytes: count,
      "\(header.source) → \(destination), \(count) bytes")
  }

  func deliverDatagram(_ index: Int) {
    var bytes: [UInt8] = []
    swap(&bytes, &datagrams[index].bytes)
    let (from, to) = (Int(datagrams[index].from), Int(datagrams[index].to))
    let header = DatagramHeader(
      source: datagrams[index].source, destination: datagrams[index].destination.address,
      interface: 1)
    let destination = datagrams[index].destination
    let receivers = hosts[to].receivers(of: destination)
    let refusal = hosts[to].refusal(of: bytes.count, by: receivers)
    recordArrival(refusal, from, to, bytes.count, header, destination)
    for receiver in receivers { receiver.receive(bytes, header) }
    if bytes.capacity <= 2_048 {
      bytes.removeAll(keepingCapacity: true)
      swap(&bytes, &datagrams[index].bytes)
    }
    datagrams.recycle(index)
  }
}
