package import Earshot

/// Streams that a peer opens, and what it writes to them.
package struct StreamPlan: Hashable, Sendable {
  /// The name that reports and expectations give them.
  package var name = StreamPlan.nameOfMost
  /// The members that get them; empty for all members at the time of opening.
  package var receivers: [String] = []
  /// How many are opened to each of them, all at once.
  package var count = 1
  /// How many bytes are written to each.
  package var bytes = 65_536
  /// How many bytes are given to one call.
  package var piece = 16_384
  /// The wait between two calls.
  package var every: Duration = .zero
  package var priority = ByteStream.Priority.normal
  /// How many bytes the other side writes back; `nil` for a stream in one direction.
  package var answer: Int?
  /// When they are opened; waits for the first member if there is none yet.
  package var start: Duration = .zero
  /// Whether their direction is finished after the last byte.
  package var isFinished = true
  /// Whether a call waits for room; one that does not writes what fits.
  package var waits = true
  /// The wait after which a call that writes is cancelled; `nil` for never.
  package var cancel: Duration?
  /// How long after its opening a stream is reset; `nil` for never.
  package var reset: Duration?
  /// In which of its sessions.
  package var session = SessionPlan.nameOfFirst

  /// The name of a stream that the scenario gives none.
  package static let nameOfMost = "stream"
}

/// How a program reads streams.
package struct StreamReading: Hashable, Sendable {
  /// The most bytes that a call takes; `nil` for as many as there are.
  package var piece: Int?
  /// Whether a call waits for all of them.
  package var isExact = false
  /// The wait between two calls.
  package var every: Duration = .zero
  /// When it reads nothing; `nil` for never.
  package var pause: ClosedRange<Duration>?
  /// The wait after which a call that reads is cancelled; `nil` for never.
  package var cancel: Duration?
  /// After how many bytes it stops reading a stream; `nil` for never.
  package var stop: Int?

  /// How many bytes a call waits for, unless the stream ends.
  var awaitedBytes: Int { isExact ? piece ?? 1 : 1 }

  /// Whether it takes what there is within a second, all the time of a range.
  func isPrompt(in range: ClosedRange<Duration>) -> Bool {
    every <= .seconds(1) && pause.map { !$0.overlaps(range) } ?? true
  }
}
