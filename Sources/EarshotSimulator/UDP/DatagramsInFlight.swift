/// A datagram on its way.
///
/// Not copied, since that would count the owners of its bytes for every packet.
struct DatagramInFlight: ~Copyable {
  /// Used again for the next datagram in the same place.
  var bytes: [UInt8] = []
  /// Whether other datagrams have the same bytes in memory.
  var isShared = false
  var source = Endpoint(.anyV4, port: 0)
  var destination = Endpoint(.anyV4, port: 0)
  var from: Int32 = 0
  var to: Int32 = 0
  /// The event of its sending.
  var event = EventCause.none

  /// What its receiver hears of it beside the bytes.
  var header: DatagramHeader {
    DatagramHeader(source: source, destination: destination.address, interface: 1)
  }

  var packet: PacketHeader {
    PacketHeader(source: source, destination: destination, payloadBytes: bytes.count)
  }
}

/// The datagrams that are on their way, by number.
struct DatagramsInFlight: ~Copyable {
  private var datagrams = Slab<DatagramInFlight>()

  /// Adds a datagram.
  ///
  /// - Parameters:
  ///   - bytes: What it carries.
  ///   - shared: The same, if others carry it, too: then it is not copied.
  ///   - source: Where it comes from.
  ///   - destination: Where it goes.
  ///   - link: The link that it takes.
  ///   - event: The event of its sending.
  /// - Returns: Its number.
  mutating func add(
    _ bytes: Span<UInt8>, shared: [UInt8]?, _ source: Endpoint, _ destination: Endpoint,
    _ link: SimulatedLink, _ event: Int
  ) -> Int {
    let index = datagrams.take(orAppend: DatagramInFlight())
    if let shared {
      datagrams[index].bytes = shared
      datagrams[index].isShared = true
    } else {
      datagrams[index].bytes.append(copying: bytes)
    }
    datagrams[index].source = source
    datagrams[index].destination = destination
    datagrams[index].from = Int32(link.source)
    datagrams[index].to = Int32(link.target)
    datagrams[index].event = event
    return index
  }

  /// The link that a datagram takes.
  func link(of index: Int) -> ThreadKey {
    .link(from: datagrams[index].from, to: datagrams[index].to)
  }

  /// Harms a datagram on its way.
  mutating func harm(_ index: Int, _ damage: Damage) { damage.harm(&datagrams[index].bytes) }

  /// Takes a datagram that arrives; its place is kept for it until ``recycle(_:_:)``.
  mutating func take(_ index: Int) -> DatagramInFlight {
    var datagram = DatagramInFlight()
    swap(&datagram, &datagrams[index])
    return datagram
  }

  /// Gives a place free, with the storage of the datagram that lay there.
  mutating func recycle(_ index: Int, _ datagram: consuming DatagramInFlight) {
    if !datagram.isShared, datagram.bytes.capacity <= 2_048 {
      datagram.bytes.removeAll(keepingCapacity: true)
      swap(&datagram, &datagrams[index])
    }
    datagrams.recycle(index)
  }
}
