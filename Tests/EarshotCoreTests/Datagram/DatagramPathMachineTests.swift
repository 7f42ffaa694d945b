import EarshotCore
import TestKit
import Testing

@Suite("The path of datagrams")
struct DatagramPathMachineTests {
  private typealias Action = DatagramPathMachine.Action

  /// A machine with its clock.
  private struct Path {
    var machine = DatagramPathMachine(random: RandomStream(seed: 1))
    var now = Instant.zero
    var wake: Instant?
    /// The tokens that were sent, with where to.
    var challenges: [(token: UInt64, endpoint: Endpoint, isPadded: Bool)] = []

    @discardableResult
    mutating func handle(_ event: DatagramPathMachine.Event) -> [Action] {
      var actions: [Action] = []
      machine.handle(event, at: now, into: &actions)
      for action in actions {
        switch action {
        case .challenge(let token, let endpoint, let isPadded):
          challenges.append((token, endpoint, isPadded))
        case .wake(let deadline): wake = deadline
        case .cancelWake: wake = nil
        case .reportOpen, .reportClosed: break
        }
      }
      return actions
    }

    /// Lets the clock run to the next deadline, if there is one up to a time.
    mutating func runUntil(_ time: Instant) {
      while let deadline = wake, deadline <= time {
        now = max(now, deadline)
        handle(.deadlineReached)
      }
      now = time
    }

    mutating func open() {
      handle(.offered(DatagramPathMachineTests.ann))
      handle(.answered(challenges.last?.token ?? 0))
    }
  }

  static let ann = Endpoint(.v4(0x0A00_0001), port: 7_100)
  static let moved = Endpoint(.v4(0x0A00_0002), port: 7_200)

  @Test("A padded challenge goes where the remote says; its answer opens the path")
  func opens() {
    var path = Path()
    path.handle(.offered(Self.ann))
    #expect(path.challenges.map(\.endpoint) == [Self.ann])
    #expect(path.challenges.allSatisfy { $0.isPadded })
    #expect(path.machine.endpoint == nil)
    let token = path.challenges[0].token
    #expect(path.handle(.answered(token &+ 1)).isEmpty && path.machine.endpoint == nil)
    #expect(path.handle(.answered(token)) == [.reportOpen(Self.ann), .cancelWake])
    #expect(path.machine.endpoint == Self.ann)
  }

  @Test("Six challenges are sent, each twice as long apart, and the last one may be answered")
  func retries() {
    var path = Path()
    path.handle(.offered(Self.ann))
    var times: [Int64] = [0]
    while let wake = path.wake, path.challenges.count < 6 {
      path.runUntil(wake)
      times.append((path.now - Instant.zero).nanoseconds / 1_000_000)
    }
    #expect(times == [0, 200, 600, 1_400, 3_000, 6_200])
    #expect(Set(path.challenges.map(\.token)).count == 1)
    path.handle(.answered(path.challenges[0].token))
    #expect(path.machine.endpoint == Self.ann)
  }

  @Test("A path without answers rests for 30 s, and then until it is used")
  func rests() {
    var path = Path()
    path.handle(.offered(Self.ann))
    path.runUntil(.zero + .seconds(20))
    #expect(path.challenges.count == 6 && path.wake == nil)
    path.handle(.used)
    #expect(path.challenges.count == 6)
    path.now = .zero + .seconds(43)
    path.handle(.answered(path.challenges[0].token))
    #expect(path.machine.endpoint == nil)
    path.handle(.used)
    #expect(path.challenges.count == 7)
    path.handle(.answered(path.challenges[6].token))
    #expect(path.machine.endpoint == Self.ann)
  }

  @Test("An open path is questioned once a second while it is used, and not while it is not")
  func confirmed() {
    var path = Path()
    path.open()
    path.runUntil(.zero + .seconds(100))
    #expect(path.challenges.count == 1)
    for _ in 0..<100 {
      path.handle(.used)
      if path.challenges.count > 1, let last = path.challenges.last {
        path.handle(.answered(last.token))
      }
      path.runUntil(path.now + .milliseconds(100))
    }
    #expect((10...12).contains(path.challenges.count))
    #expect(path.machine.endpoint == Self.ann)
  }

  @Test("An open path without ten answers in a row is closed within 2.5 s, and tried again at once")
  func closes() {
    var path = Path()
    path.open()
    path.now = .zero + .seconds(5)
    path.handle(.used)
    path.runUntil(path.now + .milliseconds(2_499))
    #expect(path.machine.endpoint == Self.ann)
    path.runUntil(path.now + .milliseconds(1))
    #expect(path.machine.endpoint == nil)
    #expect(path.challenges.count == 1 + 10 + 1)
    path.handle(.answered(path.challenges[11].token))
    #expect(path.machine.endpoint == Self.ann)
  }

  @Test("One answer in ten keeps a path open")
  func lossy() {
    var path = Path()
    path.open()
    var answered = 1
    for _ in 0..<300 {
      path.handle(.used)
      path.runUntil(path.now + .milliseconds(100))
      if path.challenges.count >= answered + 10, let last = path.challenges.last {
        path.handle(.answered(last.token))
        answered = path.challenges.count
      }
      #expect(path.machine.endpoint == Self.ann)
    }
  }

  @Test("On a long path a challenge waits twice as long as the last answer took")
  func long() {
    var path = Path()
    path.handle(.offered(Self.ann))
    let token = path.challenges[0].token
    path.runUntil(.zero + .seconds(2))
    path.handle(.answered(token))
    path.now = .zero + .seconds(5)
    let before = path.challenges.count
    path.handle(.used)
    path.runUntil(path.now + .milliseconds(3_999))
    #expect(path.challenges.count == before + 1)
    path.runUntil(path.now + .milliseconds(1))
    #expect(path.challenges.count == before + 2)
  }

  @Test("A remote that is heard from elsewhere is challenged there, and moves when it answers")
  func moves() {
    var path = Path()
    path.open()
    path.handle(.heard(from: Self.moved))
    #expect(path.challenges.last?.endpoint == Self.moved && path.challenges.last?.isPadded == false)
    #expect(path.machine.endpoint == Self.ann)
    path.handle(.heard(from: Self.moved))
    #expect(path.challenges.count == 2)
    for token in [path.challenges[0].token, path.challenges[1].token &+ 1] {
      #expect(path.handle(.answered(token)).isEmpty && path.machine.endpoint == Self.ann)
    }
    #expect(
      path.handle(.answered(path.challenges[1].token)) == [.reportOpen(Self.moved), .cancelWake])
    #expect(path.machine.endpoint == Self.moved)
  }

  @Test("Where no answer comes from gets two small challenges, and the path stays")
  func spoofed() {
    var path = Path()
    path.open()
    path.handle(.heard(from: Self.moved))
    path.runUntil(.zero + .seconds(60))
    #expect(path.challenges.filter { $0.endpoint == Self.moved }.count == 2)
    #expect(path.challenges.filter { $0.endpoint == Self.moved }.allSatisfy { !$0.isPadded })
    #expect(path.machine.endpoint == Self.ann)
    path.handle(.heard(from: Self.moved))
    path.handle(.heard(from: Self.ann))  // It is where it was: that ends the matter.
    #expect(path.wake == nil)
  }

  @Test("A path that is withdrawn leads nowhere, whatever comes after")
  func withdrawn() {
    var path = Path()
    path.open()
    #expect(path.handle(.withdrawn) == [.reportClosed])
    let token = path.challenges[0].token
    for event: DatagramPathMachine.Event in [
      .used, .answered(token), .heard(from: Self.moved), .deadlineReached,
    ] {
      #expect(path.handle(event).isEmpty)
    }
    path.handle(.offered(Self.moved))
    #expect(path.challenges.last?.endpoint == Self.moved)
  }

  @Test("Reports alternate, and a deadline is never in the past", arguments: Seed.some(200))
  func anything(seed: Seed) {
    var random = seed.generator
    var path = Path()
    var open: Endpoint?
    for _ in 0..<300 {
      let endpoint = random.below(2) == 0 ? Self.ann : Self.moved
      let event: DatagramPathMachine.Event =
        switch random.below(12) {
        case 0: .offered(endpoint)
        case 1: random.below(4) == 0 ? .withdrawn : .used
        case 2, 3, 4: .used
        case 5, 6, 7: .answered(path.challenges.last?.token ?? 0)
        case 8: .answered(random.next())
        case 9: .heard(from: endpoint)
        default: .deadlineReached
        }
      for action in path.handle(event) {
        switch action {
        case .reportOpen(let endpoint):
          #expect(open != endpoint)
          open = endpoint
        case .reportClosed:
          #expect(open != nil)
          open = nil
        case .wake(let deadline): #expect(deadline > path.now)
        case .challenge, .cancelWake: break
        }
      }
      #expect(path.machine.endpoint == open)
      if random.below(2) == 0 {
        path.runUntil(path.now + .milliseconds(Int(random.below(3_000))))
        open = path.machine.endpoint
      }
    }
  }
}
