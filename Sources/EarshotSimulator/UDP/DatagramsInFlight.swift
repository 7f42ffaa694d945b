/// A datagram on its way.
struct DatagramInFlight {
  /// Used again for the next datagram in the same place.
  var bytes: [UInt8] = []
  var source = Endpoint(.anyV4, port: 0)
  var destination = Endpoint(.anyV4, port: 0)
  var from: Int32 = 0
  var to: Int32 = 0
}

/// The datagrams that are on their way, by number.
struct DatagramsInFlight: ~Copyable {
  private var datagrams = Slab<DatagramInFlight>()

  mutating func add(
    _ bytes: Span<UInt8>, _ source: Endpoint, _ destination: Endpoint, _ link: SimulatedLink
  ) -> Int {
    let index = datagrams.take(orAppend: DatagramInFlight())
    datagrams[index].bytes.append(copying: bytes)
    datagrams[index].source = source
    datagrams[index].destination = destination
    datagrams[index].from = Int32(link.source)
    datagrams[index].to = Int32(link.target)
    return index
  }

  /// Takes a datagram that arrives; its place is kept for it until ``recycle(_:_:)``.
  mutating func take(_ index: Int) -> DatagramInFlight {
    let datagram = datagrams[index]
    datagrams[index].bytes = []
    return datagram
  }

  /// Gives a place free, with the storage of the datagram that lay there.
  mutating func recycle(_ index: Int, _ bytes: consuming [UInt8]) {
    if bytes.capacity <= 2_048 {
      bytes.removeAll(keepingCapacity: true)
      datagrams[index].bytes = bytes
    }
    datagrams.recycle(index)
  }
}
