extension SimulatedHost {
  /// Sends a datagram that claims to come from another host, as any program of the link with a raw socket can.
  ///
  /// - Parameters:
  ///   - bytes: The payload.
  ///   - source: Where it claims to come from; the host that has the address, if there is one, knows nothing of it.
  ///   - destination: A host of the segment, or a multicast group.
  ///   - hopLimit: The hop limit that it arrives with.
  package func forge(
    _ bytes: [UInt8], from source: Endpoint, to destination: Endpoint, hopLimit: UInt8 = 255
  ) {
    kernel.scheduler.enter()
    let path = DatagramPath(source, destination, hopLimit: hopLimit)
    let fabric = kernel.fabric
    if destination.address.isMulticast {
      fabric.multicast(bytes.span, of: index, path, loops: false)
    } else if let target = fabric.hosts.host(at: destination.address, from: index) {
      fabric.send(bytes.span, over: fabric.link(from: index, to: target), path)
    }
  }
}
