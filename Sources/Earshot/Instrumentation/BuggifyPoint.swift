import EarshotNetwork

/// A place where Earshot does on purpose what it seldom does, in a simulated world with BUGGIFY.
///
/// None of them breaks what Earshot promises. Each that takes effect counts as a `reachable` property.
package enum BuggifyPoint: String, Hashable, Sendable, CaseIterable {
  // What happens otherwise now and then.
  case delayedFlush = "delayed flush"  // By up to 2 ms.
  case shortWrite = "short write"  // The transport is handed a part of what was gathered.
  case splitRead = "split read"  // What arrives is taken in as two reads.
  case smallBatch = "small batch"  // No more than 1 KiB of a stream is gathered at once.
  case smallParts = "small parts"  // Messages are cut into parts of 256 to 1,279 bytes.
  case eagerAcknowledgement = "eager acknowledgement"  // Before its delay has passed.
  case waitingSend = "waiting send"  // As if the send buffer had been full a moment ago.
  case waitingWrite = "waiting write"  // As if a stream had been full a moment ago.
  case smallRead = "small read"  // No more than 1 KiB of a stream is read at once.
  case narrowWindow = "narrow window"  // That of a stream grows a read later, or never.
  case earlyTimer = "early timer"  // By up to 50 ms, in vain; then it is set again.
  case lateTimer = "late timer"  // By up to 2 ms.
  case repeatedQuestion = "repeated question"  // PING twice.
  case refusedConnection = "refused connection"  // Once in 10 s at most.
  case reorderedAddresses = "reordered addresses"  // The first address is tried last.
  case repeatedMulticast = "repeated multicast"  // The same packet twice.
  case repeatedAnnouncement = "repeated announcement"  // All is announced as if for the first time.
  case repeatedIntroduction = "repeated introduction"  // INTRODUCE twice.
  case takenPort = "taken port"  // A peer that was suspended does not get its port back.
  // What is otherwise for as long as a link, a stream or a membership lives.
  case acknowledgementDelay = "acknowledgement delay"  // Up to 100 ms instead of 25.
  case smallWindow = "small window"  // From 128 KiB up.
  case firstFlight = "first flight"  // From 2 to 66 KiB instead of 8.
  case earlyQuestion = "early question"  // After up to as long a silence as usual.
  case multicastQuestion = "multicast question"  // Answers to first questions reach all.
  case headStart = "head start"  // Of the smaller PeerID in dialling; up to twice as long, or none.
}

extension NetworkHost {
  /// What decides at the points of BUGGIFY; `nil` on real networks, and in worlds without.
  var buggify: Instrumentation? {
    instrumentation.flatMap { $0.buggifyDraws == nil ? nil : $0 }
  }
}

extension Instrumentation {
  /// Whether a point takes effect this time.
  func occurs(_ point: BuggifyPoint) -> Bool { buggify(point.rawValue) }

  /// A number in `0..<bound`, when a point takes effect this time; never of an empty range.
  func draw(_ point: BuggifyPoint, below bound: Int) -> Int? {
    bound > 0 ? buggify(point.rawValue, below: UInt64(bound)).map(Int.init) : nil
  }

  /// A duration of a range, when a point takes effect this time.
  func draw(_ point: BuggifyPoint, in range: ClosedRange<Duration>) -> Duration? {
    let width = (range.upperBound - range.lowerBound).nanoseconds
    return draw(point, below: Int(width) + 1).map { range.lowerBound + .nanoseconds(Int64($0)) }
  }
}
