import EarshotCommandLine
import EarshotScenario
import Foundation
import Synchronization
import Testing

@Suite("Standard streams as bytes", .timeLimit(.minutes(30)))
struct StandardStreamTests {
  /// Those of all tests, which stay open: the thread of a source may read once more when its test
  /// is over, and its descriptor is not to be another test's by then.
  private static let pipes = Mutex<[Pipe]>([])
  private let pipe = Pipe()
  private var reading: Int32 { pipe.fileHandleForReading.fileDescriptor }
  private var writing: Int32 { pipe.fileHandleForWriting.fileDescriptor }
  private let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

  init() { Self.pipes.withLock { [pipe] in $0.append(pipe) } }

  @Test("What one writes the other reads, to the end, which stays", arguments: [false, true])
  func whole(isNonBlocking: Bool) async throws {
    if isNonBlocking {
      for descriptor in [reading, writing] { #expect(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0) }
    }
    let flags = [reading, writing].map { fcntl($0, F_GETFL) }
    let (source, sink) = (DescriptorSource(reading), DescriptorSink(writing))
    async let written: Void = {
      for part in stride(from: 0, to: bytes.count, by: 10_000) {
        try await sink.write(Array(bytes[part..<part + 10_000]))
      }
      try await sink.close()
    }()
    var got: [UInt8] = []
    while let some = try await source.read() { got += some }
    try await written
    #expect(got == bytes)
    #expect(try await source.read() == nil)
    #expect(fcntl(reading, F_GETFL) == flags[0])
  }

  @Test("An output that has ended leaves its number to no other file")
  func number() async throws {
    let sink = DescriptorSink(writing)
    try await sink.write([1])
    try await sink.close()
    #expect([UInt8](arrayLiteral: 2).write(to: writing) == EBADF)
    #expect(fcntl(writing, F_GETFD) >= 0)
    #expect(pipe.fileHandleForReading.readDataToEndOfFile() == Data([1]))
  }

  @Test("A task that is cancelled while it waits leaves the bytes to the next one")
  func cancelled() async throws {
    let source = DescriptorSource(reading)
    let task = Task { try await source.read() }
    task.cancel()
    #expect(await task.result == .failure(.cancelled))
    #expect([UInt8]("late".utf8).write(to: writing) == 0)
    #expect(try await source.read() == Array("late".utf8))
  }

  @Test("What the system says against reading or writing is told, and stays")
  func failures() async {
    let source = DescriptorSource(-1)
    for _ in 0..<2 {
      await #expect(throws: ByteFailure.system(EBADF)) { _ = try await source.read() }
    }
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    let sink = DescriptorSink(full)
    await #expect(throws: ByteFailure.system(ENOSPC)) {
      try await sink.write([1])
      try await sink.flush()
    }
    await #expect(throws: ByteFailure.system(ENOSPC)) { try await sink.write([2]) }
  }
}

extension Result where Success == [UInt8]?, Failure == any Error {
  fileprivate static func == (left: Self, right: Result<[UInt8]?, ByteFailure>) -> Bool {
    switch (left, right) {
    case (.success(let left), .success(let right)): left == right
    case (.failure(let left), .failure(let right)): left as? ByteFailure == right
    default: false
    }
  }
}
