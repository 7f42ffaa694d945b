/// What a datagram carries, and between which endpoints.
///
/// A multicast is in memory once for all who hear it; of what is sent to one host the object is used again.
final class DatagramContent {
  @exclusivity(unchecked) var bytes: [UInt8] = []
  @exclusivity(unchecked) var source = Endpoint(.anyV4, port: 0)
  @exclusivity(unchecked) var destination = Endpoint(.anyV4, port: 0)
  @exclusivity(unchecked) var hopLimit: UInt8 = 0
  /// Whether several datagrams have it.
  let isShared: Bool

  init(isShared: Bool = false) { self.isShared = isShared }

  var path: DatagramPath { DatagramPath(source, destination, hopLimit: hopLimit) }

  func set(_ path: DatagramPath) {
    (source, destination, hopLimit) = (path.source, path.destination, path.hopLimit)
  }
}

/// Where a datagram says that it comes from, where it goes, and how far.
struct DatagramPath {
  let source: Endpoint
  let destination: Endpoint
  let hopLimit: UInt8

  init(_ source: Endpoint, _ destination: Endpoint, hopLimit: UInt8) {
    (self.source, self.destination, self.hopLimit) = (source, destination, hopLimit)
  }
}

/// A datagram on its way.
///
/// Not copied, since that would count the owners of its contents for every packet; and small, since in a hall of a
/// thousand hosts a million are on their way at once.
struct DatagramInFlight: ~Copyable {
  var content: DatagramContent
  /// The event of its sending.
  var event = EventCause.none
  var from: Int32 = 0
  var to: Int32 = 0

  init(_ content: DatagramContent) { self.content = content }

  var bytes: [UInt8] { content.bytes }
  var source: Endpoint { content.source }
  var destination: Endpoint { content.destination }

  /// What its receiver hears of it beside the bytes.
  var header: DatagramHeader {
    DatagramHeader(
      source: source, destination: destination.address, interface: 1, hopLimit: content.hopLimit)
  }

  var packet: PacketHeader {
    PacketHeader(source: source, destination: destination, payloadBytes: bytes.count)
  }
}

/// The datagrams that are on their way, by number.
struct DatagramsInFlight: ~Copyable {
  private var datagrams = Slab<DatagramInFlight>()

  /// What the datagrams have in whose places nothing lies.
  private let nothing = DatagramContent()

  /// Adds a datagram.
  ///
  /// - Parameters:
  ///   - bytes: What it carries.
  ///   - shared: The same with its header, if others carry it, too: then it is not copied.
  ///   - path: Where it comes from and goes to.
  ///   - link: The link that it takes.
  ///   - event: The event of its sending.
  /// - Returns: Its number.
  mutating func add(
    _ bytes: Span<UInt8>, shared: DatagramContent?, _ path: DatagramPath, _ link: SimulatedLink,
    _ event: Int
  ) -> Int {
    let index = datagrams.take(orAppend: DatagramInFlight(nothing))
    if let shared {
      datagrams[index].content = shared
    } else {
      if datagrams[index].content === nothing { datagrams[index].content = DatagramContent() }
      let content = datagrams[index].content
      content.bytes.append(copying: bytes)
      content.set(path)
    }
    datagrams[index].from = Int32(link.source)
    datagrams[index].to = Int32(link.target)
    datagrams[index].event = event
    return index
  }

  /// The link that a datagram takes.
  func link(of index: Int) -> ThreadKey {
    .link(from: datagrams[index].from, to: datagrams[index].to)
  }

  /// Harms a datagram on its way; others that share its content are not harmed.
  mutating func harm(_ index: Int, _ damage: Damage) {
    if datagrams[index].content.isShared {
      let (own, shared) = (DatagramContent(), datagrams[index].content)
      own.bytes = shared.bytes
      own.set(shared.path)
      datagrams[index].content = own
    }
    damage.harm(&datagrams[index].content.bytes)
  }

  /// Takes a datagram that arrives; its place is kept for it until ``recycle(_:_:)``.
  mutating func take(_ index: Int) -> DatagramInFlight {
    var datagram = DatagramInFlight(nothing)
    swap(&datagram, &datagrams[index])
    return datagram
  }

  /// Gives a place free, with the storage of the datagram that lay there.
  mutating func recycle(_ index: Int, _ datagram: consuming DatagramInFlight) {
    if !datagram.content.isShared, datagram.content.bytes.capacity <= 2_048 {
      datagram.content.bytes.removeAll(keepingCapacity: true)
      swap(&datagram, &datagrams[index])
    }
    datagrams.recycle(index)
  }
}
