import EarshotCore
import EarshotScenario
import EarshotSimulator
import TestKit
import Testing

@Suite("Messages of a run")
struct TrafficTests {
  private static let direction = Direction("ann", "bob")

  private static func sent(_ count: Int) -> Traffic {
    var traffic = Traffic()
    send(count, &traffic)
    return traffic
  }

  private static func send(_ count: Int, _ traffic: inout Traffic) {
    _ = traffic.open(direction, in: "main", isEcho: false)
    for second in 0..<count { _ = traffic.send(on: 0, at: .seconds(second)) }
  }

  private static func arrive(_ numbers: [Int], _ traffic: inout Traffic) -> [String] {
    numbers.compactMap {
      traffic.receive($0, on: 0, from: "ann", to: "bob", in: "main", at: .seconds(9))
    }
  }

  @Test("Arrive in order without a word")
  func inOrder() {
    var traffic = Self.sent(4)
    #expect(Self.arrive([0, 1, 2, 3], &traffic).isEmpty)
    #expect(traffic.messages == [Verdict.Messages("ann", "bob", sent: 4, delivered: 4)])
  }

  @Test(
    "Are missed, repeated or swapped with a word",
    arguments: [
      ([0, 2], "before message 1"), ([0, 1, 1], "twice"), ([1], "before message 0"),
      ([0, 7], "never sent"),
    ])
  func outOfOrder(numbers: [Int], word: String) {
    var traffic = Self.sent(4)
    let mistakes = Self.arrive(numbers, &traffic)
    #expect(mistakes.count == 1)
    #expect(mistakes.allSatisfy { $0.contains(word) })
  }

  @Test("Of an unreliable stream may be missing or swapped, but not repeated")
  func unreliable() {
    var traffic = Traffic()
    _ = traffic.open(Self.direction, in: "main", isEcho: false, isReliable: false)
    for second in 0..<6 { _ = traffic.send(on: 0, at: .seconds(second)) }
    #expect(Self.arrive([3, 1, 4], &traffic).isEmpty)
    #expect(Self.arrive([1, 3], &traffic).allSatisfy { $0.contains("twice") })
    #expect(Self.arrive([7], &traffic).count == 1)
    #expect(traffic.messages == [Verdict.Messages("ann", "bob", sent: 6, delivered: 3)])
  }

  @Test("Arrive in order in each of the receiver's sessions of that name")
  func anotherSession() {
    var traffic = Self.sent(6)
    func arrive(_ number: Int, in session: Int) -> String? {
      traffic.receive(
        number, on: 0, from: "ann", to: "bob", in: "main", sessionNumber: session, at: .seconds(9))
    }
    for (number, session) in [(0, 0), (3, 1), (1, 0), (4, 1)] {
      #expect(arrive(number, in: session) == nil)
    }
    #expect(arrive(1, in: 1)?.contains("twice") == true)
    #expect(arrive(2, in: 1)?.contains("after message 4") == true)
    #expect(arrive(5, in: 0)?.contains("before message 2") == true)
  }

  @Test("May be missing when the receiver has joined anew, and not when it has joined")
  func joinedAnew() {
    for (joins, isMissed) in [(1, true), (2, false)] {
      var traffic = Self.sent(3)
      for _ in 0..<joins { traffic.join(Direction("bob", "ann"), in: "main") }
      #expect(Self.arrive([2], &traffic).isEmpty != isMissed)
    }
  }

  @Test("May be missing when the receiver crashed before it was told that it had joined")
  func crashed() {
    for hasCrashed in [true, false] {
      var traffic = Traffic()
      if hasCrashed { traffic.crash(Direction("bob", "ann"), in: "main") }
      // Ann's program does not know of the crash yet, and sends to the former membership.
      Self.send(3, &traffic)
      traffic.join(Direction("bob", "ann"), in: "main")
      #expect(Self.arrive([2], &traffic).isEmpty == hasCrashed)
    }
  }

  @Test("Are told apart by who sent them to whom")
  func otherWay() {
    var traffic = Self.sent(1)
    #expect(traffic.receive(0, on: 0, from: "cy", to: "bob", in: "main", at: .zero) != nil)
    #expect(traffic.receive(0, on: 0, from: "ann", to: "bob", in: "side", at: .zero) != nil)
    #expect(traffic.receive(0, on: 0, from: "ann", to: "cy", in: "main", at: .zero) != nil)
  }

  @Test("May be missing when the session refused them")
  func refused() {
    var traffic = Self.sent(4)
    traffic.refuse(1, on: 0)
    #expect(Self.arrive([0, 2, 3], &traffic).isEmpty)
    #expect(traffic.messages == [Verdict.Messages("ann", "bob", sent: 3, delivered: 3)])
  }

  @Test("May be missing when a membership ended, but do not arrive later")
  func broken() {
    var traffic = Self.sent(6)
    #expect(Self.arrive([0], &traffic).isEmpty)
    traffic.breakOff(Direction("bob", "ann"), in: "main")
    #expect(Self.arrive([3], &traffic).isEmpty)
    #expect(Self.arrive([2], &traffic).count == 1)
    #expect(Self.arrive([5], &traffic).count == 1)
  }

  @Test("Carry their number and survive only unharmed", arguments: Seed.some(200))
  func bytes(seed: Seed) {
    var random = seed.generator
    let message = TestMessage(
      series: Int(random.next() % 1_000), number: Int(random.next() % 1_000_000),
      size: 16 + Int(random.next() % 200))
    #expect(TestMessage(message.bytes) == message)
    guard message.size > 16 else { return }
    var harmed = message.bytes
    harmed[16 + Int(random.next() % UInt64(message.size - 16))] ^= 1
    #expect(TestMessage(harmed) == nil)
  }
}
