import Earshot
import Testing

/// Streams over real sockets, used by many threads at once.
@Suite("Streams and threads", .timeLimit(.minutes(30)))
struct ThreadedStreamTests {
  /// What is written at a time.
  private static let pieceBytes = 3_000
  private static let pieceCount = 40

  @Test("Streams that many threads write, read, watch, cancel and reset at once keep their bytes")
  func many() async throws {
    try await Ground.real.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let answering = Task.detached {
        try await withThrowingTaskGroup { group in
          var count = 0
          for await stream in pair.host.streams {
            group.addTask { try await Self.answer(stream) }
            count += 1
            if count == 16 { break }
          }
          try await group.waitForAll()
        }
      }
      try await withThrowingTaskGroup { group in
        for number in 0..<16 {
          group.addTask {
            let name = number % 4 == 3 ? "reset" : "kept"
            let stream = try await pair.guest.openStream(name, to: ann.id)
            try await Self.ask(stream)
          }
        }
        try await group.waitForAll()
      }
      try await answering.value
    }
  }

  /// Sends back what comes, a byte of each piece.
  private static func answer(_ stream: ByteStream) async throws {
    if stream.name == "reset" {
      _ = try? await stream.read(exactly: 10 * pieceBytes)
      return stream.reset(code: 7)
    }
    var counts: [UInt8: Int] = [:]
    while let bytes = try await stream.read(upTo: 1_000) {
      for byte in bytes { counts[byte, default: 0] += 1 }
    }
    #expect(counts == [1: pieceCount * pieceBytes, 2: pieceCount * pieceBytes])
    try await stream.write([UInt8](repeating: 9, count: counts.count))
    stream.finish()
    try await stream.waitForDelivery()
  }

  /// Writes from two threads, while others watch the stream and give calls up.
  private static func ask(_ stream: ByteStream) async throws {
    let watching = Task.detached {
      var last = 0
      while !Task.isCancelled {
        let statistics = stream.statistics
        #expect(last <= statistics.bytesWritten)
        #expect(statistics.bytesAcknowledged <= statistics.bytesWritten)
        last = statistics.bytesWritten
        stream.priority = last % 2 == 0 ? .high : .low
        let reading = Task.detached { try await stream.read(exactly: 1_000_000) }
        reading.cancel()
        await #expect(throws: EarshotError.self) { try await reading.value }
        await Task.yield()
      }
    }
    defer { watching.cancel() }
    let isReset = stream.name == "reset"
    do {
      try await withThrowingTaskGroup { group in
        for byte in [UInt8](1...2) {
          group.addTask {
            let piece = [UInt8](repeating: byte, count: pieceBytes)
            for _ in 0..<pieceCount { try await stream.write(piece) }
          }
        }
        try await group.waitForAll()
      }
      stream.finish()
      try await stream.waitForDelivery()
      watching.cancel()
      await watching.value
      let answer = try await stream.readAll()
      #expect(!isReset && answer == [9, 9])
    } catch let error as EarshotError {
      #expect(isReset && error.code == .streamReset)
    }
  }
}
