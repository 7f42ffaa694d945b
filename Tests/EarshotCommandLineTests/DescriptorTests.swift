import EarshotCommandLine
import EarshotScenario
import Foundation
import Synchronization
import Testing

@Suite("Descriptors", .timeLimit(.minutes(30)))
struct DescriptorTests {
  @Test("What is written to a full pipe that does not block waits for room, and arrives whole")
  func room() {
    let pipe = Pipe()
    let (reading, writing) = (
      pipe.fileHandleForReading.fileDescriptor, pipe.fileHandleForWriting.fileDescriptor
    )
    #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let end = DispatchSemaphore(value: 0)
    let error = Atomic<Int32>(-1)
    withExtendedLifetime(pipe) {
      Thread {
        error.store(bytes.write(to: writing), ordering: .releasing)
        try? pipe.fileHandleForWriting.close()
        end.signal()
      }.start()
      var full = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
      while poll(&full, 1, 0) == 1 {}  // Nobody reads before the writer has to wait.
      var (got, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 5_000))
      while true {
        let count = read(reading, &chunk, chunk.count)
        guard count > 0 else { break }
        got += chunk[..<count]
      }
      end.wait()
      #expect(got == bytes)
      #expect(error.load(ordering: .acquiring) == 0)
    }
  }

  @Test("What cannot be written is told by its number")
  func errors() {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    #expect([1].write(to: full) == ENOSPC)
    #expect([1].write(to: -1) == EBADF)
    #expect([UInt8]().write(to: -1) == 0)
  }

  @Test("Lines come out one by one, however long, and the last one without its end")
  func lines() throws {
    let pipe = Pipe()
    let long = String(repeating: "x", count: 200_000)
    Thread {
      _ = Array("one\n\n\(long)\nlast".utf8).write(to: pipe.fileHandleForWriting.fileDescriptor)
      try? pipe.fileHandleForWriting.close()
    }.start()
    var lines = DescriptorLines(pipe.fileHandleForReading.fileDescriptor)
    var got: [String] = []
    while let line = lines.next() { got.append(String(decoding: line, as: UTF8.self)) }
    #expect(got == ["one", "", long, "last"])
    #expect(lines.next() == nil)
  }

  @Test("A command whose answer is refused ends with a status of its own")
  func refusal() {
    let refusal = StopSignal()
    let console = Console(refusal: refusal, out: { _ in refusal.give() }, err: { _ in })
    let tool = EarshotTool(console: console, engine: .simulated, surroundings: .nowhere)
    #expect(tool.run(["--version"]) == .unwritten)
    #expect(tool.run(["nonsense"]) == .unwritten)
  }

  @Test("A sweep ends when its answers are refused")
  func sweep() throws {
    let folder = try Folder()
    let refusal = StopSignal()
    let console = Console(refusal: refusal, out: { _ in refusal.give() }, err: { _ in })
    let cancelled = StopSignal()
    let engine = Engine(cancel: cancelled.give) { _ in RunResult(.held) }
    let tool = EarshotTool(console: console, engine: engine, surroundings: .nowhere)
    let words = ["simulate", try folder.file("a.json5"), "--json", "--seeds", "0..<1000000000"]
    #expect(tool.run(words) == .unwritten)
    #expect(cancelled.isGiven)
  }

  @Test("The gravest of several codes is the one that a command ends with")
  func gravity() {
    let order: [ExitCode] = [
      .held, .unchecked, .doubted, .violated, .usage, .broken, .interrupted, .unwritten,
    ]
    #expect(ExitCode.allCases.sorted() == order)
    #expect(order.map(\.rawValue) == [0, 4, 6, 1, 2, 3, 130, 5])
  }
}
