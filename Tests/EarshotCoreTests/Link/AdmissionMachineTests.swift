import EarshotCore
import TestKit
import Testing

@Suite("Admission")
struct AdmissionMachineTests {
  /// A peer at which strangers dial, and a clock that wakes it as it asks to be woken.
  struct Porch: Hashable {
    var machine: AdmissionMachine
    var now = Instant.zero
    var wakeAt: Instant?
    var last: UInt64 = 0
    var greeted: [LinkToken: Instant] = [:]
    var dropped: [LinkToken: Instant] = [:]

    init(_ limits: AdmissionMachine.Limits = .init()) { machine = AdmissionMachine(limits) }

    @discardableResult
    mutating func take(_ event: AdmissionMachine.Event) -> [AdmissionMachine.Action] {
      var actions: [AdmissionMachine.Action] = []
      machine.handle(event, at: now, into: &actions)
      for action in actions {
        switch action {
        case .greet(let token): greeted[token] = now
        case .drop(let token): dropped[token] = now
        case .wake(let at): wakeAt = at
        case .cancelWake: wakeAt = nil
        }
      }
      return actions
    }

    /// Somebody dials.
    mutating func dial(from address: IPAddress) -> LinkToken {
      last += 1
      let token = LinkToken(rawValue: last)
      take(.accepted(token, from: address))
      return token
    }

    mutating func dial(_ count: Int, from address: IPAddress) -> [LinkToken] {
      (0..<count).map { _ in dial(from: address) }
    }

    mutating func pass(_ duration: Duration) {
      let end = now + duration
      while let at = wakeAt, at <= end {
        (now, wakeAt) = (max(now, at), nil)
        take(.deadlineReached)
      }
      now = end
    }

    func isThere(_ token: LinkToken) -> Bool { dropped[token] == nil }
  }

  static func host(_ number: Int) -> IPAddress { .v4(0x0A00_0000 + UInt32(number)) }
  static func neighbour(_ number: Int) -> IPAddress { .v6(0xFE80 << 48, UInt64(number), scope: 2) }

  // MARK: Who is greeted

  @Test("Who dials is greeted at once, four of one source at a time, in their order")
  func fourAtATime() {
    var porch = Porch()
    let tokens = porch.dial(6, from: Self.host(1))
    #expect(porch.greeted.keys.sorted() == Array(tokens[..<4]))
    porch.take(.introduced(tokens[2]))
    #expect(porch.greeted.keys.sorted() == Array(tokens[..<5]))
    porch.take(.ended(tokens[0]))
    #expect(porch.greeted.keys.sorted() == tokens)
    #expect(porch.dropped.isEmpty)
  }

  @Test("Thirty-two newcomers are greeted at once, and sixty-four a second after that")
  func newcomers() {
    var porch = Porch()
    for number in 1...60 { _ = porch.dial(from: Self.host(number)) }
    #expect(porch.greeted.count == 32)
    porch.pass(.milliseconds(250))
    #expect(porch.greeted.count == 48)
    porch.pass(.milliseconds(250))
    #expect(porch.greeted.count == 60 && porch.dropped.isEmpty)
  }

  @Test("Of sources that tried in vain, thirty-two are greeted at once, and sixteen a second then")
  func rate() {
    var porch = Porch()
    for number in 1...60 {
      let token = porch.dial(from: Self.host(number))
      porch.pass(.milliseconds(20))
      porch.take(.ended(token))
    }
    for number in 1...60 { _ = porch.dial(from: Self.host(number)) }
    #expect(porch.greeted.count == 60 + 32)
    porch.pass(.seconds(1))
    #expect(porch.greeted.count == 60 + 48)
    let newcomer = porch.dial(from: Self.host(100))
    #expect(porch.greeted[newcomer] == porch.now)
  }

  @Test("One that waits is greeted when another one of its source has had a second")
  func peace() throws {
    var porch = Porch()
    let tokens = porch.dial(6, from: Self.host(1))
    porch.pass(.milliseconds(999))
    #expect(porch.dropped.isEmpty)
    porch.pass(.milliseconds(1))
    #expect(porch.dropped.keys.sorted() == Array(tokens[..<2]))
    #expect(porch.greeted[tokens[5]] == .zero + .seconds(1))
    porch.pass(.seconds(60))
    #expect(porch.dropped.count == 2)  // Nobody waits: the handshake has its own deadline.
  }

  @Test("Nobody waits for more than five seconds")
  func waiting() {
    var limits = AdmissionMachine.Limits()
    (limits.newcomersAtOnce, limits.newcomersPerSecond) = (1, 1)
    var porch = Porch(limits)
    let tokens = (1...8).map { porch.dial(from: Self.host($0)) }
    porch.pass(.seconds(60))
    #expect(porch.greeted.keys.sorted() == Array(tokens[..<5]))
    #expect(
      porch.dropped
        == Dictionary(uniqueKeysWithValues: tokens[5...].map { ($0, .zero + .seconds(5)) }))
  }

  // MARK: Who gives way

  @Test(
    "A newcomer is greeted at once although others hold all places in silence",
    arguments: [1, 2, 6, 16, 33, 63, 64])
  func silence(sources: Int) {
    var porch = Porch()
    for number in 0..<128 { _ = porch.dial(from: Self.host(1 + number % sources)) }
    porch.pass(.seconds(2))
    for number in 0..<128 { _ = porch.dial(from: Self.host(1 + number % sources)) }
    porch.pass(.milliseconds(70))
    let newcomer = porch.dial(from: Self.host(1_000))
    porch.pass(.milliseconds(70))
    #expect(porch.isThere(newcomer) && porch.greeted[newcomer] != nil)
    #expect(porch.machine.counts.strangers <= 64)
  }

  @Test("The source that has most gives way, its waiting ones first, the oldest first")
  func most() {
    var limits = AdmissionMachine.Limits()
    limits.strangers = 8
    var porch = Porch(limits)
    let many = porch.dial(6, from: Self.host(1))
    let few = porch.dial(2, from: Self.host(2))
    _ = porch.dial(from: Self.host(3))
    #expect(Set(porch.dropped.keys) == [many[4]])
    _ = porch.dial(from: Self.host(4))
    #expect(Set(porch.dropped.keys) == [many[4], many[5]])
    _ = porch.dial(from: Self.host(5))
    #expect(Set(porch.dropped.keys) == [many[4], many[5], many[0]])
    #expect(few.allSatisfy { porch.isThere($0) })
  }

  @Test("Sources take turns: before any has its third, all have had their second")
  func turns() throws {
    var limits = AdmissionMachine.Limits()
    (limits.greetingsAtOnce, limits.greetingsPerSecond) = (1, 10)
    (limits.newcomersAtOnce, limits.newcomersPerSecond) = (1, 10)
    var porch = Porch(limits)
    let tokens = (1...3).map { porch.dial(4, from: Self.host($0)) }
    porch.pass(.milliseconds(450))
    #expect(tokens.map { $0.count { porch.greeted[$0] != nil } } == [3, 3, 2])
    let newcomer = porch.dial(from: Self.host(4))
    #expect(porch.greeted[newcomer] == porch.now)
  }

  // MARK: Members

  @Test("An address over which a member was linked waits for nobody and gives way to nobody")
  func members() {
    var porch = Porch()
    porch.take(.memberLinked(at: Self.host(500)))
    for number in 0..<500 { _ = porch.dial(from: Self.host(number % 90)) }
    let tokens = porch.dial(20, from: Self.host(500))
    #expect(tokens.allSatisfy { porch.greeted[$0] == porch.now })
    for number in 0..<500 { _ = porch.dial(from: Self.host(number % 90)) }
    #expect(tokens.allSatisfy { porch.isThere($0) })
    #expect(porch.machine.counts.strangers <= 64 + 20)
  }

  @Test(
    "Also at the address of a member there is an end of it, and the oldest waiting one gives way")
  func crowdOfAMember() {
    var porch = Porch()
    porch.take(.memberLinked(at: Self.host(1)))
    let tokens = porch.dial(100, from: Self.host(1))
    #expect(porch.machine.counts == (64, 32))
    #expect(porch.dropped.keys.sorted() == Array(tokens[32..<68]))
  }

  @Test(
    "Of one member's address, sixty-four are greeted at once, and thirty-two a second after that")
  func rateOfAMember() {
    var porch = Porch()
    porch.take(.memberLinked(at: Self.host(1)))
    porch.take(.memberLinked(at: Self.host(2)))
    func dialInVain(_ count: Int) {
      for _ in 0..<count {
        let token = porch.dial(from: Self.host(1))
        if porch.greeted[token] != nil { porch.take(.ended(token)) }
      }
    }
    dialInVain(80)
    #expect(porch.greeted.count == 64)
    porch.take(.memberLinked(at: Self.host(1)))  // One of them was not in vain.
    #expect(porch.greeted.count == 65)
    let other = porch.dial(from: Self.host(2))
    #expect(porch.greeted[other] == porch.now)
    porch.pass(.milliseconds(250))
    #expect(porch.greeted.count == 66 + 8)
    for token in porch.greeted.keys { porch.take(.ended(token)) }
    porch.pass(.seconds(60))
    dialInVain(80)
    #expect(porch.greeted.count == 65 + 16 + 64)
  }

  @Test("A member that links and leaves without a pause is greeted at once each time")
  func restlessMember() {
    var porch = Porch()
    for _ in 0..<1_000 {
      let token = porch.dial(from: Self.host(1))
      #expect(porch.greeted[token] == porch.now)
      porch.take(.introduced(token))
      porch.take(.memberLinked(at: Self.host(1)))
      porch.pass(.milliseconds(1))
    }
    let inVain = porch.dial(100, from: Self.host(1))
    for token in inVain { porch.take(.introduced(token)) }
    #expect(porch.greeted.count == 1_000 + 64)  // Those that link saved nothing up.
  }

  @Test(
    "Of all members' addresses together there are no more than 256, and the one that has most gives way"
  )
  func crowdOfMembers() {
    var porch = Porch()
    for number in 1...6 { porch.take(.memberLinked(at: Self.host(number))) }
    let most = porch.dial(60, from: Self.host(1))
    let rest =
      (2...4).flatMap { porch.dial(59, from: Self.host($0)) } + porch.dial(19, from: Self.host(5))
    #expect(porch.machine.counts.strangers == 256 && porch.dropped.isEmpty)
    let one = porch.dial(from: Self.host(6))
    #expect(porch.dropped.keys.sorted() == [most[32]] && porch.greeted[one] == porch.now)
    let two = porch.dial(from: Self.host(6))
    #expect(porch.dropped.count == 2 && porch.greeted[two] == porch.now)
    #expect(rest.count { !porch.isThere($0) } == 1)
    _ = porch.dial(500, from: Self.host(1))
    #expect(porch.machine.counts.strangers == 256 && porch.isThere(one) && porch.isThere(two))
    let newcomer = porch.dial(from: Self.host(100))
    #expect(porch.greeted[newcomer] == porch.now && porch.machine.counts.strangers == 257)
  }

  @Test("What waits at an address that is no member's any more waits as others do")
  func forgotten() {
    var limits = AdmissionMachine.Limits()
    (limits.newcomersAtOnce, limits.newcomersPerSecond) = (1, 1)
    (limits.greetingsAtOnce, limits.greetingsPerSecond) = (1, 1)
    var porch = Porch(limits)
    porch.take(.memberLinked(at: Self.host(1)))
    let tokens = porch.dial(40, from: Self.host(1))
    #expect(porch.greeted.count == 32)
    for number in 2...257 { porch.take(.memberLinked(at: Self.host(number))) }
    for token in tokens[..<32] { porch.take(.ended(token)) }
    #expect(porch.greeted.count == 33)
    porch.pass(.seconds(1))
    #expect(porch.greeted.count == 34)
  }

  @Test("A member is greeted at once, whatever 64 addresses do at which there once were members")
  func formerMembers() {
    var porch = Porch()
    for number in 1...65 { porch.take(.memberLinked(at: Self.host(number))) }
    for round in 0..<100 {
      for number in 1...64 {
        _ = porch.dial(from: Self.host(number))  // Which stays.
        let token = porch.dial(from: Self.host(number))
        if porch.greeted[token] != nil { porch.take(.ended(token)) }
      }
      porch.pass(.milliseconds(10))
      guard round % 20 == 0 else { continue }
      let member = porch.dial(from: Self.host(65))
      #expect(porch.greeted[member] == porch.now && porch.isThere(member))
      porch.pass(.milliseconds(10))
      #expect(porch.isThere(member))
      porch.take(.introduced(member))
    }
    #expect(porch.machine.counts.strangers <= 256)
    #expect(porch.greeted.count <= 64 * (64 + 34) + 5)
  }

  // MARK: IPv6

  @Test("A /64 of IPv6 is one source, and its addresses take turns within it")
  func prefix() {
    var porch = Porch()
    let noisy = porch.dial(5, from: Self.neighbour(1))
    let quiet = porch.dial(from: Self.neighbour(2))
    #expect(porch.greeted.count == 4)
    porch.take(.ended(noisy[0]))
    #expect(porch.greeted[quiet] == .zero && porch.greeted[noisy[4]] == nil)
    let elsewhere = porch.dial(from: .v6(0x2001_0DB8 << 32, 7, scope: 0))
    #expect(porch.greeted[elsewhere] == .zero)
  }

  @Test("An IPv4 address that is written as one of IPv6 is the same source")
  func mapped() {
    var porch = Porch()
    _ = porch.dial(4, from: .v4(0x0A00_0001))
    let same = porch.dial(from: .v6(0, 0xFFFF_0A00_0001, scope: 0))
    let other = porch.dial(from: .v6(0, 0xFFFF_0A00_0002, scope: 0))
    #expect(porch.greeted[same] == nil && porch.greeted[other] == .zero)
  }

  // MARK: Floods

  /// A flood of one kind from some addresses, and others who want to be greeted beside it.
  fileprivate struct Flood {
    var porch = Porch()
    var random: RandomStream
    let sources: Int
    let conduct: Conduct
    var open: [LinkToken] = []

    enum Conduct: CaseIterable, Sendable {
      case silent  // Says nothing.
      case garbage  // Says something wrong at once.
      case fickle  // Goes away again.
      case plausible  // Says what it wants, again and again.
    }

    mutating func pass(_ duration: Duration, perSecond: Int) {
      let end = porch.now + duration
      while true {
        let pause = random.duration(below: .seconds(2) / perSecond)
        if porch.now + pause > end { break }
        porch.pass(pause)
        let token = porch.dial(from: host(1 + Int(random.below(UInt64(sources)))))
        open.append(token)
        behave()
      }
      porch.pass(end - porch.now)
    }

    private mutating func behave() {
      guard conduct != .silent else { return }
      for token in open where porch.isThere(token) {
        let isGreeted = porch.greeted[token] != nil
        if isGreeted || conduct == .fickle && random.below(4) == 0 {
          porch.take(conduct == .plausible ? .introduced(token) : .ended(token))
          open.removeAll { $0 == token }
        }
      }
      open.removeAll { !porch.isThere($0) }
    }
  }

  @Test(
    "Whatever comes from 64 addresses, 99 of 100 others are greeted within half a second",
    arguments: Flood.Conduct.allCases, [50, 500])
  fileprivate func floods(conduct: Flood.Conduct, perSecond: Int) {
    var flood = Flood(random: Seed(3).generator, sources: 64, conduct: conduct)
    flood.pass(.seconds(3), perSecond: perSecond)
    var greeted = 0
    for number in 0..<100 {
      flood.pass(.milliseconds(20), perSecond: perSecond)
      let good = flood.porch.dial(from: Self.host(1_000 + number))
      let start = flood.porch.now
      while flood.porch.greeted[good] == nil, flood.porch.isThere(good),
        flood.porch.now - start < .milliseconds(500)
      { flood.pass(.milliseconds(10), perSecond: perSecond) }
      guard flood.porch.greeted[good] != nil else { continue }
      flood.pass(.milliseconds(10), perSecond: perSecond)  // What it has to say takes a moment.
      guard flood.porch.isThere(good) else { continue }
      flood.porch.take(.introduced(good))
      greeted += 1
    }
    #expect(greeted >= 99, "\(conduct)")
  }

  @Test(
    "The limits hold whatever comes, and each is greeted once and dropped once",
    arguments: Seed.some(10))
  func limits(seed: Seed) {
    var random = seed.generator
    var porch = Porch()
    var greetings: [Instant] = []
    var (there, greeted) = ([LinkToken: IPAddress](), Set<LinkToken>())
    for _ in 0..<300 {
      porch.pass(random.duration(below: .milliseconds(40)))
      let address =
        random.below(2) == 0
        ? Self.host(Int(random.below(40)))
        : .v6(random.below(3) << 32 | 1 << 61, random.next(), scope: 0)
      let token = LinkToken(rawValue: porch.last + 1)
      var (before, after) = (porch, porch)
      if random.below(3) > 0 {
        _ = after.dial(from: address)
        there[token] = address
      } else if let any = there.keys.sorted().randomElement(using: &random) {
        after.take(random.below(2) == 0 ? .ended(any) : .introduced(any))
        there[any] = nil
      }
      before = porch
      porch = after
      for token in Set(porch.greeted.keys).subtracting(before.greeted.keys) {
        #expect(greeted.insert(token).inserted)
        greetings.append(porch.now)
      }
      for token in porch.dropped.keys { there[token] = nil }
      #expect(porch.machine.counts.strangers <= 64)
      #expect(porch.machine.counts.strangers == there.count)
      let open = there.filter { porch.greeted[$0.key] != nil }
      for (_, same) in Dictionary(grouping: open, by: \.value.source) { #expect(same.count <= 4) }
    }
    let all = porch.greeted.values.sorted()
    let most = 32 + 16 + 32 + 64  // In a second, after a rest.
    for (index, at) in all.enumerated() where index >= most {
      #expect(at - all[index - most] >= .seconds(1))
    }
  }

  @Test("In every state that can be reached, one that is there is greeted or will be woken for")
  func walk() {
    var limits = AdmissionMachine.Limits()
    (limits.strangers, limits.strangersPerKnownAddress) = (3, 2)
    (limits.greetingsPerSecondOfKnownAddress, limits.greetingsAtOnceOfKnownAddress) = (1, 1)
    (limits.greetingsPerSource, limits.greetingsPerKnownAddress) = (1, 1)
    (limits.greetingsPerSecond, limits.greetingsAtOnce) = (1, 1)
    (limits.newcomersPerSecond, limits.newcomersAtOnce) = (1, 1)
    var seen: Set<Porch> = []
    var ahead = [Porch(limits)]
    while let porch = ahead.popLast() {
      guard seen.insert(porch).inserted else { continue }
      let there = (0..<porch.last).map { LinkToken(rawValue: $0 + 1) }.filter {
        porch.isThere($0)
      }
      let waits = there.contains { porch.machine.isWaiting($0) }
      #expect(!waits || porch.wakeAt != nil, "\(porch)")
      #expect(porch.machine.counts.strangers <= 5)
      guard porch.last < 4, porch.now < .zero + .seconds(3) else { continue }
      for source in 1...2 {
        var next = porch
        _ = next.dial(from: Self.host(source))
        ahead.append(next)
      }
      for token in there {
        var next = porch
        next.take(.ended(token))
        ahead.append(next)
      }
      var (later, known) = (porch, porch)
      later.pass(.milliseconds(700))
      known.take(.memberLinked(at: Self.host(2)))
      ahead += [later, known]
    }
    #expect(seen.count > 1_000)
  }
}
