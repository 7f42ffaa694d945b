extension Fabric {
  /// Sends a datagram over one link.
  func send(
    _ bytes: Span<UInt8>, over link: SimulatedLink, from source: Endpoint, to destination: Endpoint,
    extraLoss: Ratio = .zero
  ) {
    let hash = Trace.hash(of: bytes)
    let (from, to, count) = (link.source, link.target, bytes.count)
    let event = trace.record(
      .sent, from: from, to: to, bytes: count, hash: hash,
      PacketHeader(source: source, destination: destination, payloadBytes: count),
      [UInt8](copying: bytes))
    let size = bytes.count + (source.address.family == .v4 ? 28 : 48)
    let fate = fate(
      of: bytes.count, size, over: link, .udp, source, destination, extraLoss: extraLoss)
    guard let arrival = fate.arrival else {
      return trace.recordLoss(
        fate.loss, of: event, from: from, to: to, bytes: count,
        PacketHeader(source: source, destination: destination, payloadBytes: count))
    }
    scheduler.push(
      EventSlot(.datagram, datagrams.add(bytes, source, destination, link, event)), at: arrival)
    if let again = fate.duplicate {
      scheduler.push(
        EventSlot(.datagram, datagrams.add(bytes, source, destination, link, event)), at: again)
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
    let kernel = kernel(Int(datagram.to))
    if datagram.destination.address.isMulticast {
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
