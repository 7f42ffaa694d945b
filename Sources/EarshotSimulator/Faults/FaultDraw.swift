/// Draws faults.
struct FaultDraw {
  let names: [String]
  private(set) var random: GuidedDraws
  /// How hard faults hit, in percent.
  private var severity: UInt64 = 100

  init(names: [String], random: GuidedDraws) { (self.names, self.random) = (names, random) }

  mutating func faults(_ wish: RandomFaults) -> [Fault] {
    guard !names.isEmpty else { return [] }
    var (wish, kinds) = (wish, wish.kinds ?? RandomFaults.Kind.allCases)
    if wish.kinds == nil, !wish.includesStorage { kinds.removeAll { $0.isOfStorage } }
    if names.count == 1 { kinds.removeAll { !$0.isOfOneHost } }
    guard !kinds.isEmpty, wish.count > 0 else { return [] }
    if wish.kinds == nil { kinds = swarm(kinds, &wish) }
    return (0..<wish.count).flatMap { _ in fault(kinds, wish) }.sortedByTime()
  }

  /// Draws which kinds there are, how many faults, how long and how hard.
  private mutating func swarm(_ kinds: [RandomFaults.Kind], _ wish: inout RandomFaults)
    -> [RandomFaults.Kind]
  {
    let chosen = kinds.filter { _ in random.chance(.percent(50)) }
    severity = 1 + random.below(100)
    wish.count = Int(1 + random.below(UInt64(wish.count)))
    let span = wish.lasting.upperBound - wish.lasting.lowerBound
    wish.lasting = wish.lasting.lowerBound...wish.lasting.lowerBound + span * Int(severity) / 100
    return chosen.isEmpty ? [one(of: kinds)] : chosen
  }

  private mutating func fault(_ kinds: [RandomFaults.Kind], _ wish: RandomFaults) -> [Fault] {
    let at = random.duration(in: wish.between).wholeMilliseconds
    let lasting = max(.milliseconds(1), random.duration(in: wish.lasting).wholeMilliseconds)
    let kind = one(of: kinds)
    if kind == .swizzle {
      return Fault.Kind.swizzle(
        shuffled(names), at: at, lasting: max(lasting, .milliseconds(names.count * 2))
      )
      .map { Fault(at: $0.at.wholeMilliseconds, $0.kind, lasting: $0.lasting?.wholeMilliseconds) }
    }
    let drawn = self.kind(kind, lasting: lasting)
    return [Fault(at: at, drawn, lasting: drawn.isMomentary ? nil : lasting)]
  }

  private mutating func kind(_ kind: RandomFaults.Kind, lasting: Duration) -> Fault.Kind {
    switch kind {
    case .partition: partition()
    case .cut: .cut(ends())
    case .crash: .crash(one(of: names))
    case .suspend:
      .suspend(
        one(of: names), grace: random.duration(in: .zero...lasting / 2).wholeMilliseconds)
    case .link: .link(ends(), change())
    case .burst, .fade, .congestion, .corruption, .multicast, .clog, .flap, .reset:
      link(kind, lasting: lasting)
    case .medium: .medium(names, Medium(bandwidth: 1_000 * Int(64 + random.below(20_000))))
    case .isolate, .freeze, .slow, .leave, .hide, .readdress, .unplug, .ports, .clock, .stale,
      .reflect, .fullDisk, .slowDisk, .failingDisk, .swizzle:
      .hosts([one(of: names)], host(kind, lasting: lasting))
    }
  }

  private mutating func link(_ kind: RandomFaults.Kind, lasting: Duration) -> Fault.Kind {
    let ends = ends()
    var change = LinkChange()
    switch kind {
    case .burst:
      change.burst = BurstLoss(
        share: .percent(Int(1 + random.below(max(1, 40 * severity / 100)))),
        length: Int(2 + random.below(30)))
    case .fade:
      change.loss = .percent(Int(random.below(60)))
      change.latency = .milliseconds(Int(20 + random.below(800)))
      return .links(ends, .change(change, over: (lasting / 2).wholeMilliseconds))
    case .congestion:
      change.bandwidth = 1_000 * Int(32 + random.below(500))
      change.queue = 1_500 * Int(4 + random.below(700))
    case .corruption:
      change.corruption = .percent(Int(1 + random.below(30)))
      change.truncation = .percent(Int(random.below(20)))
    case .multicast: change.multicastLoss = .percent(Int(20 + random.below(81)))
    case .clog: return .links(ends, .clog)
    case .flap:
      let every = Duration.milliseconds(Int(50 + random.below(3_000)))
      let down = max(.milliseconds(1), random.duration(below: every).wholeMilliseconds)
      return .links(ends, .flap(every: every, down: down))
    default:
      return .links(
        ends,
        .reset(
          every: random.chance(.percent(50)) ? nil : .milliseconds(Int(100 + random.below(2_000)))))
    }
    return .links(ends, .change(change))
  }

  private mutating func host(_ kind: RandomFaults.Kind, lasting: Duration) -> HostFault {
    switch kind {
    case .isolate: .isolate(one(of: Reach.allCases))
    case .freeze: .freeze
    case .slow: .slow(every: .milliseconds(Int(1 + random.below(max(1, 400 * severity / 100)))))
    case .leave:
      .leave(within: random.duration(in: .zero...min(lasting, .seconds(2))).wholeMilliseconds)
    case .hide: .hide
    case .readdress: .readdress
    case .unplug: .unplug
    case .ports: .exhaustPorts
    case .clock:
      random.chance(.percent(50))
        ? .clock(ClockChange(jump: .milliseconds(Int(1 + random.below(60_000)))))
        : .clock(ClockChange(drift: Int(random.below(20_001)) - 10_000))
    case .stale: .stale(after: .milliseconds(Int(100 + random.below(20_000))))
    case .fullDisk: .fullDisk
    case .slowDisk: .slowDisk(factor: Int(2 + random.below(max(1, 1_000 * severity / 100))))
    case .failingDisk: .failingDisk
    default: .reflect(after: .milliseconds(Int(1 + random.below(50))))
    }
  }

  /// Two groups, neither of them empty.
  private mutating func partition() -> Fault.Kind {
    var groups: [[String]] = [[], []]
    for name in names { groups[Int(random.below(2))].append(name) }
    for index in [0, 1] where groups[index].isEmpty {
      groups[index].append(groups[1 - index].removeFirst())
    }
    return .partition(groups)
  }

  private mutating func ends() -> LinkEnds {
    let source = one(of: names)
    let destination = one(of: names.filter { $0 != source })
    return LinkEnds(
      sources: [source], destinations: [destination], isMutual: random.chance(.percent(50)))
  }

  private mutating func change() -> LinkChange {
    var change = LinkChange()
    change.latency = .milliseconds(Int(1 + random.below(200)))
    change.jitter = .milliseconds(Int(random.below(100)))
    change.loss = .percent(Int(random.below(50)))
    change.duplication = .percent(Int(random.below(20)))
    change.reordering = .percent(Int(random.below(20)))
    return change
  }

  private mutating func shuffled(_ names: [String]) -> [String] {
    var (left, shuffled) = (names, [String]())
    while !left.isEmpty { shuffled.append(left.remove(at: Int(random.below(UInt64(left.count))))) }
    return shuffled
  }

  private mutating func one<Element>(of elements: [Element]) -> Element {
    elements[Int(random.below(UInt64(elements.count)))]
  }
}

extension RandomFaults.Kind {
  /// Whether it can befall a host that has no other to talk to.
  fileprivate var isOfOneHost: Bool {
    switch self {
    case .crash, .suspend, .isolate, .freeze, .slow, .leave, .hide, .readdress, .unplug, .ports,
      .clock, .stale, .reflect, .fullDisk, .slowDisk, .failingDisk:
      true
    case .partition, .cut, .link, .burst, .fade, .congestion, .corruption, .multicast, .clog,
      .swizzle, .flap, .medium, .reset:
      false
    }
  }
}

extension RandomFaults.Kind {
  /// Whether it befalls a disk, and is not drawn unless it is asked for.
  fileprivate var isOfStorage: Bool {
    switch self {
    case .fullDisk, .slowDisk, .failingDisk: true
    case .partition, .cut, .link, .burst, .fade, .congestion, .corruption, .multicast, .clog,
      .swizzle, .flap, .medium, .reset, .crash, .suspend, .isolate, .freeze, .slow, .leave, .hide,
      .readdress, .unplug, .ports, .clock, .stale, .reflect:
      false
    }
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Duration { .milliseconds(nanoseconds / 1_000_000) }
}
