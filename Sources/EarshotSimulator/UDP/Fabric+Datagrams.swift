extension Fabric {
  /// Sends a datagram over one link.
  func send(
    _ bytes: Span<UInt8>, over link: SimulatedLink, from source: Endpoint, to destination: Endpoint,
    extraLoss: Ratio = .zero
  ) {
    let hash = Trace.hash(of: bytes)
    trace.record(
      .sent, .udp, from: link.source, to: link.target, bytes: bytes.count, hash: hash,
      "\(source) → \(destination), \(bytes.count) bytes", [UInt8](copying: bytes))
    let size = bytes.count + (source.address.isV4 ? 28 : 48)
    let fate = fate(
      of: bytes.count, size, over: link, .udp, source, destination, extraLoss: extraLoss)
    guard let arrival = fate.arrival else {
      return trace.recordLoss(
        fate.loss, .udp, from: link.source, to: link.target, bytes: bytes.count,
        "\(source) → \(destination), \(bytes.count) bytes")
    }
    scheduler.push(
      EventSlot(.datagram, datagrams.add(bytes, source, destination, link)), at: arrival)
    if let again = fate.duplicate {
      scheduler.push(
        EventSlot(.datagram, datagrams.add(bytes, source, destination, link)), at: again)
    }
  }

  /// Sends a datagram to every host that has joined the group, on each link's own terms.
  func multicast(
    _ bytes: Span<UInt8>, from socket: SimulatedDatagramSocket, to destination: Endpoint
  ) {
    let source = socket.source(to: destination.address)
    let sender = socket.kernel.index
    for member in members(of: destination.address, heardBy: sender)
    where member == sender
      ? socket.options.loopsMulticast : socket.options.multicastHopLimit > 0
    {
      let loss = member == sender ? Ratio.zero : multicastLoss
      send(
        bytes, over: link(from: sender, to: member), from: source, to: destination,
        extraLoss: loss)
    }
  }

  func deliverDatagram(_ index: Int) {
    let datagram = datagrams.take(index)
    let (from, to, count) = (Int(datagram.from), Int(datagram.to), datagram.bytes.count)
    let header = DatagramHeader(
      source: datagram.source, destination: datagram.destination.address, interface: 1)
    let destination = datagram.destination
    kernel(to).receive(datagram.bytes, header, at: destination) { refusal in
      guard let refusal else {
        return trace.record(
          .delivered, .udp, from: from, to: to, bytes: count,
          "\(header.source) → \(destination), \(count) bytes")
      }
      trace.recordLoss(
        refusal, .udp, from: from, to: to, bytes: count,
        "\(header.source) → \(destination), \(count) bytes")
    }
    datagrams.recycle(index, datagram.bytes)
  }
}
