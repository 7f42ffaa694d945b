import EarshotCore
import TestKit
import Testing

@Suite("Reaching one peer")
struct DialMachineTests {
  typealias Machine = DialMachine

  private struct Dial {
    var machine: Machine
    var actions: [Machine.Action] = []
    var now = Instant.zero

    init(_ count: Int) { machine = Machine(addresses: count, at: .zero, into: &actions) }

    mutating func handle(_ event: Machine.Event) -> [Machine.Action] {
      actions = []
      machine.handle(event, at: now, into: &actions)
      return actions
    }
  }

  @Test("No address is no way")
  func none() {
    #expect(Dial(0).actions == [.reportFailed])
  }

  @Test("A single address is tried once, without a timer")
  func single() {
    var dial = Dial(1)
    #expect(dial.actions == [.attempt(0)])
    #expect(dial.handle(.deadlineReached) == [])
    #expect(dial.handle(.failed(0)) == [.reportFailed])
    #expect(dial.handle(.failed(0)) == [])
  }

  @Test("The next address is tried a quarter of a second later, beside the first")
  func staggered() {
    var dial = Dial(2)
    #expect(dial.actions == [.attempt(0), .wake(at: .zero + .milliseconds(250))])
    dial.now = .zero + .milliseconds(249)
    #expect(dial.handle(.deadlineReached) == [.wake(at: .zero + .milliseconds(250))])
    dial.now = .zero + .milliseconds(250)
    #expect(dial.handle(.deadlineReached) == [.attempt(1)])
    #expect(dial.handle(.opened(1)) == [.abandon(0), .reportOpened(1)])
    #expect(dial.handle(.opened(0)) == [])
  }

  @Test("An address that fails makes way at once")
  func failed() {
    var dial = Dial(3)
    dial.now = .zero + .milliseconds(10)
    #expect(dial.handle(.failed(0)) == [.attempt(1), .wake(at: .zero + .milliseconds(260))])
    #expect(dial.handle(.failed(1)) == [.attempt(2)])
    #expect(dial.handle(.failed(1)) == [])
    #expect(dial.handle(.failed(2)) == [.reportFailed])
  }

  @Test("What the peer itself refuses is refused, whatever other addresses there are")
  func refused() {
    var dial = Dial(2)
    dial.now = .zero + .milliseconds(250)
    _ = dial.handle(.deadlineReached)
    #expect(
      dial.handle(.refused(0, .unsupportedVersion)) == [
        .abandon(1), .reportRefused(.unsupportedVersion),
      ])
  }

  @Test(
    "Every address is tried once, one report is made, and no attempt is left",
    arguments: Seed.some(200))
  func reportsOnce(seed: Seed) {
    var random = seed.generator
    let count = Int(random.below(9))
    var dial = Dial(count)
    var (open, tried, reports): (Set<Int>, [Int], Int) = ([], [], 0)
    for _ in 0..<100 {
      for action in dial.actions {
        switch action {
        case .attempt(let index): (_, _) = (tried.append(index), open.insert(index))
        case .abandon(let index): #expect(open.remove(index) != nil)
        case .reportOpened(let index):
          #expect(open.remove(index) != nil)
          reports += 1
        case .reportFailed, .reportRefused: reports += 1
        case .wake: break
        }
      }
      dial.now = dial.now + .milliseconds(Int64(random.below(200)))
      let index = Int(random.below(9))
      let isOpen = open.contains(index)
      switch random.below(12) {
      case 0 where isOpen: _ = dial.handle(.opened(index))
      case 1 where isOpen: (_, _) = (dial.handle(.refused(index, .suspending)), open.remove(index))
      case 2...6 where isOpen: (_, _) = (open.remove(index), dial.handle(.failed(index)))
      default: _ = dial.handle(.deadlineReached)
      }
    }
    #expect(reports == 1 && open.isEmpty)
    #expect(tried == Array(0..<tried.count) && tried.count <= count)
  }
}
