import EarshotCommandLine
import Testing

@Suite("Progress")
struct ProgressTests {
  /// What is shown when a step ends at each of these times, in milliseconds.
  private func shown(at times: [Int], isWatched: Bool) -> String {
    var now = Duration.zero
    let printed = Printed()
    var progress = Progress(of: times.count, on: printed.console(isWatched: isWatched)) { now }
    for (index, time) in times.enumerated() {
      now = .milliseconds(time)
      progress.show(index + 1, "seeds")
    }
    progress.clear()
    return printed.err
  }

  @Test("Nothing is shown within the first second")
  func patience() { #expect(shown(at: [0, 500, 999], isWatched: true).isEmpty) }

  @Test("After that the line is overwritten, a few times a second, and cleared at the end")
  func line() {
    let text = shown(at: [500, 1_000, 1_100, 1_200], isWatched: true)
    #expect(text == "\r\u{1B}[K2 of 4 seeds\r\u{1B}[K4 of 4 seeds\r\u{1B}[K")
  }

  @Test("Nothing is shown when nobody watches")
  func unwatched() { #expect(shown(at: [1_000, 9_000], isWatched: false).isEmpty) }
}

@Suite("Crashes")
struct CrashNoteTests {
  @Test("A crash names its seed, and ends with its own code")
  func crash() async {
    let result = await #expect(
      processExitsWith: .exitCode(3), observing: [\.standardErrorContent]
    ) {
      CrashNote.arm()
      CrashNote.set("again: earshot simulate a.json5 --seed 4711\n")
      preconditionFailure("as a bug would")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("again: earshot simulate a.json5 --seed 4711\n"))
  }
}
