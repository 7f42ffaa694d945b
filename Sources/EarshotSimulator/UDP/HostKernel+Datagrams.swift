extension HostKernel {
  func openDatagramSocket(
    on endpoint: Endpoint, options: DatagramOptions, handler: any DatagramHandler
  ) throws(NetworkError) -> any DatagramSocket {
    try checkUp("bind \(endpoint)")
    var endpoint = endpoint
    try checkLocal(endpoint)
    if endpoint.port == 0 {
      endpoint.port = try freePort { datagramSockets.isBound($0) }
    } else if datagramSockets.excludes(endpoint, options) {
      throw NetworkError(.addressInUse, call: "bind \(endpoint)", errno: 98)
    }
    let socket = SimulatedDatagramSocket(self, endpoint, options, handler)
    datagramSockets.add(socket)
    return socket
  }

  /// Why a datagram of so many bytes is lost at one of its receivers, if so.
  private func refusal(_ count: Int, _ receiver: SimulatedDatagramSocket?) -> TraceEvent.Loss? {
    guard process.condition != .crashed else { return .down }
    guard let receiver else { return .unbound }
    return receiver.refusal(of: count)
  }

  /// Takes a datagram that arrived at this host; `record` is told first why it is lost, or `nil` if a socket takes it.
  func receive(
    _ bytes: [UInt8], _ header: DatagramHeader, at destination: Endpoint,
    _ record: (TraceEvent.Loss?) -> Void
  ) {
    if destination.address.isMulticast {
      let receivers = datagramSockets.receivers(of: destination)
      let refusals = receivers.map { refusal(bytes.count, $0) }
      record(refusals.contains(nil) ? nil : refusals.first ?? refusal(bytes.count, nil))
      for receiver in receivers { receiver.receive(bytes, header) }
    } else {
      let receiver = datagramSockets.socket(bound: destination.address, port: destination.port)
      record(refusal(bytes.count, receiver))
      receiver?.receive(bytes, header)
    }
  }
}
