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

  /// Why a datagram of so many bytes is lost at its receiver, if so.
  func refusal(of count: Int, by receiver: SimulatedDatagramSocket?) -> TraceEvent.Loss? {
    // While no host stands still, this one lives, and its process is not looked at.
    guard fabric.scheduler.stoppedHosts == 0 || process.condition != .crashed else { return .down }
    guard let receiver else { return .unbound }
    return receiver.refusal(of: count)
  }

  /// Why a multicast of so many bytes is lost at all of its receivers, if so.
  func refusal(of count: Int, by receivers: [SimulatedDatagramSocket]) -> TraceEvent.Loss? {
    for receiver in receivers.dropFirst() where refusal(of: count, by: receiver) == nil {
      return nil
    }
    return refusal(of: count, by: receivers.first)
  }
}
