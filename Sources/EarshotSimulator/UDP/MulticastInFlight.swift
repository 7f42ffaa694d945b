/// A multicast on its way to those who hear it, in the order in which it reaches them.
///
/// In memory once, and hashed once; 16 bytes for each who will hear it, and one event of the scheduler's for all of them,
/// the next one: in a hall of a thousand hosts that all speak at once two million arrivals are to come.
final class MulticastInFlight {
  private struct Arrival {
    /// Nanoseconds since it was sent.
    let delay: UInt32
    /// The place among events of the same instant, behind that of the first one.
    let place: UInt32
    /// The event of its sending, behind that of the first one.
    let event: UInt32
    let to: Int32

    var rank: UInt64 { UInt64(delay) << 32 | UInt64(place) }
  }

  let content: DatagramContent
  let hash: UInt64
  private let from: Int32
  private let time: Int64
  private let sequence: UInt64
  private let event: Int
  @exclusivity(unchecked) private var arrivals: [Arrival] = []
  @exclusivity(unchecked) private var next = 0

  /// A multicast that nobody will hear yet.
  ///
  /// - Parameters:
  ///   - bytes: What it carries.
  ///   - path: Where it comes from and goes to.
  ///   - sender: The number of the host that sends it.
  ///   - time: When it is sent.
  ///   - sequence: The place of the next event among those of the same instant.
  ///   - event: The number of the next event of the trace.
  init(
    _ bytes: Span<UInt8>, _ path: DatagramPath, from sender: Int, at time: Int64,
    before sequence: UInt64, _ event: Int
  ) {
    content = .make(bytes, path, isShared: true)
    hash = Trace.hash(of: bytes)
    (from, self.time, self.sequence, self.event) = (Int32(sender), time, sequence, event)
  }

  /// Makes room for so many arrivals.
  func reserveCapacity(_ count: Int) { arrivals.reserveCapacity(count) }

  /// Adds an arrival.
  ///
  /// - Returns: Whether it comes soon enough to lie here.
  func add(_ host: Int, at arrival: Int64, place: () -> UInt64, sentBy sending: Int) -> Bool {
    guard let delay = UInt32(exactly: arrival - time), let event = UInt32(exactly: sending - event)
    else { return false }
    arrivals.append(
      Arrival(delay: delay, place: UInt32(place() - sequence), event: event, to: Int32(host)))
    return true
  }

  /// Puts the arrivals in order: nobody else will hear it.
  func sort() { arrivals.sort { $0.rank < $1.rank } }

  /// Whether nobody is left who will hear it.
  var isOver: Bool { next == arrivals.count }

  /// The event of the next arrival, or `nil` when there is none.
  func key(in slot: EventSlot) -> EventKey? {
    guard !isOver else { return nil }
    let arrival = arrivals[next]
    return EventKey(
      time: time + Int64(arrival.delay), sequence: sequence + UInt64(arrival.place), slot: slot)
  }

  /// Takes the next arrival.
  func takeNext() -> DatagramInFlight {
    let arrival = arrivals[next]
    next += 1
    return DatagramInFlight(
      content: content, event: event + Int(arrival.event), from: from, to: arrival.to)
  }
}

/// The multicasts that are on their way, by number.
struct MulticastsInFlight: ~Copyable {
  private var multicasts = Slab<MulticastInFlight?>()

  /// Adds a multicast.
  ///
  /// - Returns: The event of its first arrival.
  mutating func add(_ multicast: MulticastInFlight) -> EventKey? {
    let index = multicasts.take(orAppend: nil)
    multicasts[index] = multicast
    return multicast.key(in: EventSlot(.multicast, index))
  }

  subscript(index: Int) -> MulticastInFlight? { multicasts[index] }

  mutating func remove(_ index: Int) {
    multicasts[index] = nil
    multicasts.recycle(index)
  }
}
