/// What a datagram carries, behind where it comes from and goes to.
///
/// In one piece of memory, since each piece of a datagram on its way is cold when it arrives. A multicast is in memory once
/// for all who hear it; of what is sent to one host the memory is used again.
final class DatagramContent: ManagedBuffer<DatagramContent.Header, UInt8> {
  struct Header {
    var path: DatagramPath
    /// Whether several datagrams have it.
    let isShared: Bool
    var byteCount: Int32
    let bytesMax: Int32
  }

  static func make(_ bytes: Span<UInt8>, _ path: DatagramPath, isShared: Bool) -> DatagramContent {
    let count = Int32(bytes.count)
    let content = unsafeDowncast(
      create(minimumCapacity: bytes.count) { _ in
        Header(path: path, isShared: isShared, byteCount: count, bytesMax: count)
      }, to: DatagramContent.self)
    content.copy(bytes)
    return content
  }

  var path: DatagramPath { withUnsafeMutablePointerToHeader { $0.pointee.path } }

  var isShared: Bool { withUnsafeMutablePointerToHeader { $0.pointee.isShared } }

  var byteCount: Int { Int(withUnsafeMutablePointerToHeader { $0.pointee.byteCount }) }

  /// How much it can carry.
  var bytesMax: Int { Int(withUnsafeMutablePointerToHeader { $0.pointee.bytesMax }) }

  /// Puts something else in its place.
  ///
  /// - Precondition: It can carry so much.
  func replace(with bytes: Span<UInt8>, _ path: DatagramPath) {
    // In place of "header", which checks for exclusivity.
    withUnsafeMutablePointerToHeader {
      $0.pointee.path = path
      $0.pointee.byteCount = Int32(bytes.count)
    }
    copy(bytes)
  }

  private func copy(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    withUnsafeMutablePointerToElements { elements in
      bytes.withUnsafeBufferPointer { bytes in
        UnsafeMutableRawPointer(elements).copyMemory(
          from: UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped), byteCount: bytes.count)
      }
    }
  }

  /// Lends the bytes.
  @inline(__always)
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    withUnsafeMutablePointerToElements { elements in
      body(UnsafeBufferPointer(start: elements, count: byteCount).span)
    }
  }

  /// A copy of the bytes.
  var bytes: [UInt8] { withBytes { [UInt8](copying: $0) } }
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
  let content: DatagramContent
  /// The event of its sending.
  let event: Int
  let from: Int32
  let to: Int32

  var byteCount: Int { content.byteCount }
  var destination: Endpoint { content.path.destination }

  /// What its receiver hears of it beside the bytes.
  var header: DatagramHeader {
    let path = content.path
    return DatagramHeader(
      source: path.source, destination: path.destination.address, interface: 1,
      hopLimit: path.hopLimit)
  }

  var packet: PacketHeader {
    let path = content.path
    return PacketHeader(
      source: path.source, destination: path.destination, payloadBytes: byteCount)
  }

  consuming func takeContent() -> DatagramContent { content }
}

/// The datagrams that are on their way, by number.
struct DatagramsInFlight: ~Copyable {
  /// Not private: Swift 6.3.1 then links it to other files of its module in a way that a debug build refuses ("Global is
  /// external, but doesn't have external or weak linkage").
  struct Place {
    /// What the datagram carries that lies there; else what one carried that lay there, to be used again.
    var content: DatagramContent?
    var event = EventCause.none
    var from: Int32 = 0
    var to: Int32 = 0

    /// Has the memory that lies there carry something else, if it can.
    func reuse(for bytes: Span<UInt8>, _ path: DatagramPath) -> Bool {
      guard let content, content.bytesMax >= bytes.count else { return false }
      content.replace(with: bytes, path)
      return true
    }
  }
  private var places = Slab<Place>()

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
    let index = places.take(orAppend: Place())
    if let shared {
      places[index].content = shared
    } else if !places[index].reuse(for: bytes, path) {
      places[index].content = .make(bytes, path, isShared: false)
    }
    places[index].from = Int32(link.source)
    places[index].to = Int32(link.target)
    places[index].event = event
    return index
  }

  /// The link that a datagram takes.
  func link(of index: Int) -> ThreadKey {
    .link(from: places[index].from, to: places[index].to)
  }

  /// Harms a datagram on its way; others that share its content are not harmed.
  mutating func harm(_ index: Int, _ damage: Damage) {
    guard let content = places[index].content else { return }
    var bytes = content.bytes
    damage.harm(&bytes)
    places[index].content = .make(bytes.span, content.path, isShared: false)
  }

  /// Takes a datagram that arrives; its place is kept for it until ``recycle(_:_:)``.
  mutating func take(_ index: Int) -> DatagramInFlight {
    guard let content = places[index].content.take() else {
      preconditionFailure("there is no datagram under this number")
    }
    return DatagramInFlight(
      content: content, event: places[index].event, from: places[index].from, to: places[index].to)
  }

  /// Gives a place free, with the memory of the datagram that lay there.
  mutating func recycle(_ index: Int, _ datagram: consuming DatagramInFlight) {
    if !datagram.content.isShared, datagram.content.bytesMax <= 2_048 {
      places[index].content = datagram.takeContent()
    }
    places.recycle(index)
  }
}
