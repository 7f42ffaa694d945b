/// Packets in the order of their sending that wait until it is known what becomes of them.
struct CaptureQueue {
  /// A packet, with all copies of it that go out at once.
  struct SentPacket {
    /// The sending of the first copy.
    let event: TraceEvent
    /// How many copies are on their way.
    var open = 1
    /// What was done to the world before.
    var faults: [String]
    var losses: [(loss: TraceEvent.Loss, host: String)] = []

    /// Whether an event sends one more copy.
    func isSame(as other: TraceEvent) -> Bool {
      other.time == event.time && other.from == event.from && other.to != event.to
        && other.packet == event.packet && event.packet?.destination.address.isMulticast == true
        && other.payload == event.payload
    }
  }
  enum Item {
    case packet(SentPacket)
    case entry(TraceEvent)
  }
  private var items: [Item] = []
  private var next = 0
  /// How many items were dropped from the front of the array.
  private var base = 0
  /// The place of each copy that is on its way, by the number of its sending.
  private var places: [Int: Int] = [:]
  /// What was done to the world since the last packet.
  private var faults: [String] = []

  mutating func add(_ event: TraceEvent) {
    switch event.kind {
    case .sent: addSent(event)
    case .lost: decide(event)
    case .delivered: decide(event)
    case .fault:
      faults.append("fault: \(event.sentence)")
      items.append(.entry(event))
    case .note: items.append(.entry(event))
    case .timer: break
    }
  }

  private mutating func addSent(_ event: TraceEvent) {
    if next < items.count, case .packet(var last) = items[items.count - 1], last.isSame(as: event) {
      last.open += 1
      items[items.count - 1] = .packet(last)
    } else {
      items.append(.packet(SentPacket(event: event, faults: faults)))
      faults = []
    }
    places[event.number] = base + items.count - 1
  }

  /// Takes in what became of a copy.
  private mutating func decide(_ event: TraceEvent) {
    guard let cause = event.cause else { return }
    guard let place = places.removeValue(forKey: cause) else {
      if event.kind == .delivered { items.append(.entry(event)) }
      return
    }
    guard place >= base + next, case .packet(var packet) = items[place - base] else { return }
    packet.open -= 1
    if let loss = event.loss { packet.losses.append((loss, event.to)) }
    items[place - base] = .packet(packet)
  }

  /// The first item, if it is known what became of it, or if too many wait behind it.
  mutating func popDecided() -> Item? {
    guard next < items.count else { return nil }
    if case .packet(let packet) = items[next], packet.open > 0,
      items.count - next - 1 <= Self.waitingMax
    {
      return nil
    }
    // More copies of a multicast may follow as long as it is the last.
    if next == items.count - 1, case .packet(let packet) = items[next],
      packet.event.packet?.destination.address.isMulticast == true
    {
      return nil
    }
    return popFirst()
  }

  mutating func popFirst() -> Item? {
    guard next < items.count else { return nil }
    defer { advance() }
    return items[next]
  }

  private mutating func advance() {
    next += 1
    guard next == items.count || next >= 4_096 else { return }
    items.removeFirst(next)
    (base, next) = (base + next, 0)
  }

  private static let waitingMax = 65_536
}

extension CaptureQueue.SentPacket {
  /// What there is to say about the packet.
  var comments: [String] {
    var comments = faults
    for loss in TraceEvent.Loss.allCases {
      let hosts = losses.filter { $0.loss == loss }.map(\.host)
      if !hosts.isEmpty { comments.append("lost to \(hosts.joined(separator: ", ")): \(loss)") }
    }
    if open > 0 { comments.append("on its way at the end of the capture") }
    return comments
  }
}
