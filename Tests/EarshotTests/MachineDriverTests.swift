import Earshot
import EarshotCore
import Testing

@Suite("Driving a machine")
struct MachineDriverTests {
  /// Says what it takes in, and asks for more as an event tells it to.
  private struct Echo: Machine {
    enum Event: Equatable { case said(String, causing: [String]) }
    enum Action: Equatable { case note(String), cause(String) }
    var count = 0

    mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
      guard case .said(let word, let causes) = event else { return }
      count += 1
      out.append(.note("\(word) begins"))
      out += causes.map { .cause($0) }
      out.append(.note("\(word) ends at \(now.nanoseconds)"))
    }
  }

  /// A shell that notes what happens.
  private final class Shell {
    let driver: MachineDriver<Echo>
    var log: [String] = []
    var following: [String: [String]] = [:]

    init(_ actions: [Echo.Action] = []) {
      driver = MachineDriver(Echo(), beginningWith: actions)
    }

    func handle(_ word: String, at now: Instant = .zero) {
      driver.handle(.said(word, causing: following[word] ?? []), at: now) { perform($0, at: now) }
    }

    func perform(_ action: Echo.Action, at now: Instant) {
      switch action {
      case .note(let text): log.append(text)
      case .cause(let word):
        log.append("\(word) is caused")
        handle(word, at: now)
      }
    }
  }

  @Test("An event that an action causes waits until all actions before it are performed")
  func reentrancy() {
    let shell = Shell()
    shell.following = ["a": ["b", "c"], "b": ["d"]]
    shell.handle("a")
    #expect(
      shell.log == [
        "a begins", "b is caused", "c is caused", "a ends at 0",
        "b begins", "d is caused", "b ends at 0", "c begins", "c ends at 0",
        "d begins", "d ends at 0",
      ])
    #expect(shell.driver.machine.count == 4)
  }

  @Test("What the making of a machine asks for comes before any event")
  func beginning() {
    let shell = Shell([.note("made"), .cause("a"), .note("still made")])
    shell.driver.start(at: .zero) { shell.perform($0, at: .zero) }
    #expect(
      shell.log == ["made", "a is caused", "still made", "a begins", "a ends at 0"])
    shell.driver.start(at: .zero) { shell.perform($0, at: .zero) }
    #expect(shell.log.count == 5)
  }

  @Test("A driver is ready for the next event, at its own time, when the ones before are done")
  func successive() {
    let shell = Shell()
    for second in 0..<3 { shell.handle("a", at: .zero + .nanoseconds(second)) }
    #expect(shell.log.filter { $0.contains("ends") } == (0..<3).map { "a ends at \($0)" })
    #expect(shell.driver.machine.count == 3)
  }
}
