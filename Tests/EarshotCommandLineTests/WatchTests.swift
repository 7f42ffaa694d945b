import EarshotCommandLine
import Foundation
import Synchronization
import Testing

@Suite("Watching a scenario")
struct WatchTests {
  @Test("A file that is written, replaced or removed has changed, and otherwise has not")
  func changes() throws {
    let folder = try Folder()
    let (path, stop) = (try folder.file("a.json5", "{}"), StopSignal())
    let watch = FileWatch(path)
    _ = try folder.file("a.json5", "{ }")
    #expect(watch.change(until: stop))
    try FileManager.default.removeItem(atPath: path)
    #expect(watch.change(until: stop))
    _ = try folder.file("b.json5", "{ }")
    try FileManager.default.moveItem(atPath: "\(folder.path)/b.json5", toPath: path)
    #expect(watch.change(until: stop))
    stop.give()
    #expect(!watch.change(until: stop))
  }

  @Test("A file that is included is watched, too, also one that is missing")
  func included() throws {
    let folder = try Folder()
    let path = try folder.file("a.json5", "{ include: 'b.json5', name: 'hello' }")
    let included = URL(filePath: "\(folder.path)/b.json5")
    let parts = ["joined", "left"].map { wish in
      "{ duration: '5s', peers: ['ann', { name: 'bob', invite: 'ann' }], "
        + "expect: [{ event: 'bob sees ann \(wish)', by: '2s' }] }"
    }
    let (_, printed) = watched([path, "--watch", "--seed", "9"], runs: 3) { run in
      try? Data(parts[run - 1].utf8).write(to: included)
    }
    let runs = printed.out.components(separatedBy: "watching \(path); Ctrl-C ends it\n")
    #expect(runs.count == 4)
    #expect(runs[0].contains("b.json5: there is no such file"))
    #expect(
      runs[1].hasPrefix("hello, seed 9: held") && runs[2].hasPrefix("hello, seed 9: violated"))
  }

  @Test("Who waits for a change hears that it is to stop")
  func stops() async throws {
    let folder = try Folder()
    let (path, stop) = (try folder.file("a.json5", "{}"), StopSignal())
    let hasChanged = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: FileWatch(path).change(until: stop)) }
      stop.give()
    }
    #expect(!hasChanged)
  }

  /// What is written by a tool that watches a file, until a listener stops it after so many runs.
  private func watched(
    _ words: [String], terminal: TerminalSize? = nil, runs: Int,
    then change: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> (ExitCode, Printed) {
    let (printed, stop, count) = (Printed(), StopSignal(), Counter())
    let standard = printed.console()
    let console = Console(
      terminal: { terminal },
      out: { text in
        standard.out(text)
        let number = count.next()
        if number == runs { stop.give() } else { change(number) }
      }, err: standard.err)
    let source = InterruptSource { interrupt in
      stop.whenGiven(interrupt)
      return stop
    }
    let code = EarshotTool(
      console: console, engine: .simulated, surroundings: .nowhere, interrupts: source
    ).run(["simulate"] + words)
    return (code, printed)
  }

  private static func scenario(_ expectation: String) -> String {
    """
    { name: "hello", duration: "5s", peers: ["ann", { name: "bob", invite: "ann" }],
      expect: [{ event: "\(expectation)", by: "2s" }] }
    """
  }

  @Test("A scenario is run again when it is saved, and mistakes in it are told")
  func again() throws {
    let folder = try Folder()
    let path = try folder.file("a.json5", Self.scenario("bob sees ann joined"))
    let texts = ["{", Self.scenario("bob sees ann left")]
    let (code, printed) = watched([path, "--watch", "--seed", "9"], runs: 3) { run in
      try? Data(texts[run - 1].utf8).write(to: URL(filePath: path))
    }
    #expect(code == .interrupted)
    let runs = printed.out.components(separatedBy: "watching \(path); Ctrl-C ends it\n")
    #expect(runs.count == 4 && runs[3].isEmpty)
    #expect(runs[0].hasPrefix("hello, seed 9: held\n\n"))
    #expect(runs[0].contains("\nann    ") && runs[0].contains("===="))
    #expect(runs[1].hasPrefix("\(path):1:2: "))
    #expect(
      runs[2].hasPrefix("hello, seed 9: violated\n") && runs[2].contains("✗ bob sees ann left"))
    #expect(
      printed.err
        == "earshot: standard output is not a terminal; each run is written below the last one\n")
  }

  @Test("On a terminal each run takes the place of the last one, as wide as the terminal is")
  func terminal() throws {
    let folder = try Folder()
    let path = try folder.file("a.json5", Self.scenario("bob sees ann joined"))
    let size = TerminalSize(columns: 50, rows: 20)
    let (code, printed) = watched([path, "--watch"], terminal: size, runs: 1)
    #expect(code == .interrupted && printed.err.isEmpty)
    #expect(printed.out.hasPrefix("\u{1B}[H\u{1B}[2Jhello, seed 1: held\n"))
    let lane = printed.out.split(separator: "\n").first { $0.hasPrefix("bob") }
    #expect(lane?.count == 50)
  }
}

/// Counts.
private final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
