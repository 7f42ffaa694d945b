#if os(Linux)
  import EarshotSimulator
  import Foundation
  import Synchronization
  import Testing

  @Suite("Time and chance of the system in a world")
  struct SystemAnswersTests {
    private final class Lines: Sendable {
      private let lines = Mutex<[String]>([])

      func add(_ line: String) { lines.withLock { $0.append(line) } }

      var all: [String] { lines.withLock { $0 } }
    }

    /// What code reads of the system's random numbers.
    private static func draw() -> String {
      var generator = SystemRandomNumberGenerator()
      var bytes = [UInt8](repeating: 0, count: 13)
      getentropy(&bytes, bytes.count)
      return
        "\(generator.next()) \(Int.random(in: 0..<1_000_000_000)) \(UUID()) \(bytes) "
        + "\((0..<20).shuffled()) \(Double.random(in: 0...1)) \(ProcessInfo.processInfo.globallyUniqueString)"
    }

    /// The seconds and microseconds that gettimeofday(2) tells.
    private static func timeOfDay() -> [Int] {
      typealias Call = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt
      var time = [0, 0]
      _ = dlsym(nil, "gettimeofday").map { unsafeBitCast($0, to: Call.self)(&time, nil) }
      return time
    }

    /// What code reads of the system's clocks.
    private static func readClocks() -> String {
      let time = timeOfDay()
      return
        "\(Date().timeIntervalSince1970) \(Foundation.time(nil)) \(time[0]) \(time[1]) "
        + "\(ProcessInfo.processInfo.systemUptime) \(ContinuousClock.now) \(SuspendingClock.now) "
        + "\(DispatchTime.now().uptimeNanoseconds)"
    }

    /// Runs code of two hosts and of the world itself, and starts a host anew.
    private func lines(seed: UInt64) -> [String] {
      let (lines, world) = (Lines(), World(seed: seed))
      for name in ["ann", "bob"] {
        world.makeHost(name) { host, start in
          lines.add("\(name) starts \(start.number) \(Self.draw())")
          host.addTask("roll") {
            for _ in 0..<3 {
              try await host.sleep(for: .milliseconds(Int.random(in: 1...1_000)))
              lines.add("\(name) \(Self.draw()) \(Self.readClocks())")
            }
          }
        }
      }
      world.at(.zero + .seconds(4)) { lines.add("world \(Self.draw()) \(Self.readClocks())") }
      world.run(for: .seconds(5))
      world.crash(world.hosts[0])
      world.restart(world.hosts[0])
      world.run(for: .seconds(5))
      world.finish()
      return lines.all
    }

    @Test("What code reads there is a function of the seed, and each host's own")
    func functionOfTheSeed() {
      let lines = lines(seed: 7)
      #expect(lines.count == 13)
      #expect(lines == self.lines(seed: 7))
      let other = self.lines(seed: 8)
      #expect(other.count == 13 && Set(lines).isDisjoint(with: other))
      let draws = lines.map { $0.split(separator: " ").dropFirst().joined() }
      #expect(Set(draws).count == 13)
    }

    @Test("What a host draws does not depend on what others draw")
    func independence() {
      func lines(others: Int) -> [String] {
        let (lines, world) = (Lines(), World(seed: 7))
        let bob = world.makeHost("bob")
        bob.addTask("roll") { for _ in 0..<others { _ = Self.draw() } }
        let ann = world.makeHost("ann")
        ann.addTask("roll") { lines.add(Self.draw()) }
        world.at(.zero + .seconds(1)) { lines.add(Self.draw()) }
        world.run(for: .seconds(2))
        return lines.all
      }
      #expect(lines(others: 0).count == 2 && lines(others: 0) == lines(others: 3))
    }

    /// Sixteen bytes that a function of the C library draws.
    private static func bytes(of function: String) -> [UInt8] {
      typealias Draw = @convention(c) (UnsafeMutableRawPointer?, Int, UInt32) -> Int
      var bytes = [UInt8](repeating: 0, count: 16)
      // getentropy takes the first two arguments alone.
      let draw = dlsym(nil, function).map { unsafeBitCast($0, to: Draw.self) }
      _ = draw?(&bytes, bytes.count, 0)
      return bytes
    }

    @Test("Each function that draws draws from the host", arguments: ["getentropy", "getrandom"])
    func entropy(function: String) {
      func drawn(seed: UInt64) -> [String] {
        let (lines, world) = (Lines(), World(seed: seed))
        world.makeHost("ann").addTask("roll") { lines.add("\(Self.bytes(of: function))") }
        world.run(for: .seconds(1))
        return lines.all
      }
      #expect(drawn(seed: 7).count == 1 && drawn(seed: 7) == drawn(seed: 7))
      #expect(drawn(seed: 7) != drawn(seed: 8))
      #expect(Self.bytes(of: function) != Self.bytes(of: function))
    }

    @Test("Dates begin with 2026, and clocks show the time of the host")
    func clocks() {
      let (lines, world) = (Lines(), World(seed: 7))
      let ann = world.makeHost("ann")
      ann.addTask("look") {
        try await ann.sleep(for: .milliseconds(2_500))
        lines.add(Self.readClocks())
        try await ann.sleep(for: .seconds(10))
        lines.add("\(Date().timeIntervalSince1970)")
      }
      world.at(.zero + .seconds(3)) {
        _ = world.inject(.hosts(["ann"], .clock(ClockChange(jump: .seconds(100)))))
      }
      world.run(for: .seconds(20))
      let words = lines.all.first?.split(separator: " ").map(String.init) ?? []
      #expect(words.prefix(5) == ["1767225602.5", "1767225602", "1767225602", "500000", "3.5"])
      #expect(words.last == "3500000000")
      // The sleep of 10 s is one by the host's clock, and over at once.
      #expect(lines.all.last == "1767225703.0")
    }

    @Test("Another thread reads the system's, and so does a sink of the trace")
    func elsewhere() {
      let (lines, world) = (Lines(), World(seed: 7))
      let year2026 = 1_767_225_600.0
      let ann = world.makeHost("ann")
      ann.addTask("look") {
        let thread = Thread {
          lines.add("thread \(Date().timeIntervalSince1970 > year2026 + 1_000_000)")
        }
        thread.start()
        while lines.all.isEmpty { sched_yield() }
        lines.add("host \(Date().timeIntervalSince1970 == year2026)")
        world.note(ann, kind: "message", "now")
      }
      world.record { _ in lines.add("sink \(Date().timeIntervalSince1970 > year2026 + 1_000_000)") }
      world.run(for: .seconds(1))
      #expect(lines.all.prefix(2) == ["thread true", "host true"])
      #expect(lines.all.contains("sink true") && !lines.all.contains { $0.hasSuffix("false") })
      #expect(Date().timeIntervalSince1970 > year2026 + 1_000_000)
    }

    @Test(
      "A loop that reads a clock until time has passed is an error that says so",
      .timeLimit(.minutes(10)))
    func spinning() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        EscapeTests.run { _ in
          let end = ContinuousClock.now + .milliseconds(1)
          while ContinuousClock.now < end {}
        }
      }
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      for part in [
        "task 'wanderer' of host 'ann'", "in a loop that reads a clock", "SEED=42 make again",
      ] {
        #expect(message.contains(part), "\(message)")
      }
    }
  }
#endif
