import EarshotSimulator

/// The crowd's work and nothing around it: a binary heap, a loop, a hash.
///
/// What a simulator costs is the
/// distance from here.
struct PlainLoop {
  private struct Event {
    let time: Int64
    let sequence: UInt64
    let kind: Kind
    let pair: Int32
    let slot: Int32

    enum Kind: UInt8 { case ping, echo, timer }

    func isBefore(_ other: Event) -> Bool {
      time == other.time ? sequence < other.sequence : time < other.time
    }
  }
  private struct Payload {
    var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
      (0, 0, 0, 0, 0, 0, 0, 0)
  }
  private var heap: [Event] = []
  private var payloads: [Payload] = []
  private var free: [Int32] = []
  private var random: [RandomStream]
  private var current: [UInt64]
  private var timerSequence: [UInt64]
  private var sequence: UInt64 = 0
  private var now: Int64 = 0
  private var hash = RollingHash()
  private var delivered = 0
  private let roundTrips: UInt64

  private init(_ crowd: Crowd, seed: UInt64) {
    let pairs = crowd.hostCount / 2
    roundTrips = crowd.roundTrips
    random = (0..<2 * pairs).map { RandomStream(seed: seed, name: "link \($0)") }
    current = Array(repeating: 0, count: pairs)
    timerSequence = current
  }

  /// Runs it.
  ///
  /// - Returns: How many packets were delivered.
  static func run(_ crowd: Crowd, seed: UInt64) -> Int {
    var loop = PlainLoop(crowd, seed: seed)
    for pair in 0..<crowd.hostCount / 2 { loop.ask(pair) }
    while let event = loop.pop() { loop.handle(event) }
    return loop.delivered
  }

  private mutating func handle(_ event: Event) {
    let pair = Int(event.pair)
    now = event.time
    guard event.kind != .timer else {
      if timerSequence[pair] == event.sequence { ask(pair) }
      return
    }
    let payload = payloads[Int(event.slot)]
    free.append(event.slot)
    delivered += 1
    hash.combine(UInt64(bitPattern: now))
    hash.combine(payload.words.0)
    if event.kind == .ping {
      send(payload, .echo, pair)
    } else if payload.words.0 == current[pair] {
      current[pair] += 1
      if current[pair] < roundTrips { ask(pair) } else { timerSequence[pair] = 0 }
    }
  }

  private mutating func ask(_ pair: Int) {
    var payload = Payload()
    payload.words.0 = current[pair]
    send(payload, .ping, pair)
    sequence += 1
    timerSequence[pair] = sequence
    let time = now + Crowd.patience.nanoseconds
    push(Event(time: time, sequence: sequence, kind: .timer, pair: Int32(pair), slot: 0))
  }

  private mutating func send(_ payload: Payload, _ kind: Event.Kind, _ pair: Int) {
    let stream = 2 * pair + (kind == .ping ? 0 : 1)
    let isLost = random[stream].next() % 100 == 0
    let jitter = Int64(random[stream].next() % 2_000_000)
    guard !isLost else { return }
    let slot = free.popLast() ?? Int32(payloads.count)
    if Int(slot) == payloads.count {
      payloads.append(payload)
    } else {
      payloads[Int(slot)] = payload
    }
    sequence += 1
    push(
      Event(
        time: now + 10_000_000 + jitter, sequence: sequence, kind: kind, pair: Int32(pair),
        slot: slot))
  }

  private mutating func push(_ event: Event) {
    heap.append(event)
    var hole = heap.count - 1
    while hole > 0, event.isBefore(heap[(hole - 1) / 2]) {
      heap[hole] = heap[(hole - 1) / 2]
      hole = (hole - 1) / 2
    }
    heap[hole] = event
  }

  private mutating func pop() -> Event? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first }
    var hole = 0
    while 2 * hole + 1 < heap.count {
      var child = 2 * hole + 1
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(last) else { break }
      heap[hole] = heap[child]
      hole = child
    }
    heap[hole] = last
    return first
  }
}
