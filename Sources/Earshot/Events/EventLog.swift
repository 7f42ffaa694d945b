/// The events that some consumer has not got, and where the consumers are.
///
/// Positions count events from 0 and never decrease. Events stand in chunks: what was appended since the last
/// chunk was lent to a consumer. A lent chunk changes no more, so that a consumer reads it without a lock.
///
/// ```
///   got by all      got by some        got by none
/// ─────────────┬──────────────────┬──────────────────┐
///            base               front               end
/// ```
///
/// A consumer begins at the front, and every event behind the front was got by a consumer. So nothing is lost
/// when consumers come and go: one that leaves, leaves nothing behind the front that no other one got.
/// An observer begins at the end and does not move the front: what it gets is there for the consumers as well.
struct EventLog<Element> {
  /// Events at successive positions.
  struct Chunk {
    var start: Int
    var events: [Element]
    var end: Int { start + events.count }
  }
  private struct Consumer {
    let cursor: EventCursor
    let isObserver: Bool
    var lentEnd: Int  // Everything before was lent to it, or was behind it when it began.
  }

  /// How many events are kept.
  private(set) var count = 0
  private var chunks: [Chunk] = []
  private var isLastOpen = false
  private var base = 0
  private var left = 0  // The front when the last consumer left.
  private var end = 0
  private var consumers: [Consumer] = []
  private let keepsUnread: Bool

  /// An empty log.
  ///
  /// - Parameter keepsUnread: Whether events wait for the first consumer; otherwise there are observers only.
  init(keepsUnread: Bool) { self.keepsUnread = keepsUnread }

  /// Appends events; copies none of them if the chunk before is lent or full.
  mutating func append(_ events: [Element]) {
    guard !events.isEmpty, keepsUnread || !consumers.isEmpty else { return }
    if isLastOpen, let last = chunks.indices.last, chunks[last].events.count < Self.chunkCountMax {
      chunks[last].events += events
    } else {
      chunks.append(Chunk(start: end, events: events))
      isLastOpen = true
    }
    end += events.count
    count += events.count
  }

  /// Begins a consumer.
  mutating func subscribe() -> EventCursor {
    let cursor = EventCursor(at: front)
    consumers.append(Consumer(cursor: cursor, isObserver: false, lentEnd: cursor.position))
    return cursor
  }

  /// Begins an observer, which gets what is appended from now on.
  ///
  /// - Parameter prefix: How many events it gets before, which are not in the log: they stand at the positions
  ///   in front of the end.
  /// - Returns: Where it is.
  mutating func observe(after prefix: Int) -> EventCursor {
    isLastOpen = false  // So that what follows can be summed up for it.
    let cursor = EventCursor(at: end - prefix)
    consumers.append(Consumer(cursor: cursor, isObserver: true, lentEnd: end))
    return cursor
  }

  /// Lends a consumer the chunk where it stands; `nil` when it got everything.
  mutating func take(_ cursor: EventCursor) -> Chunk? {
    let index = firstChunk(after: cursor.position)
    guard index < chunks.count,
      let consumer = consumers.firstIndex(where: { $0.cursor === cursor })
    else { return nil }
    let chunk = chunks[index]
    if index == chunks.count - 1 { isLastOpen = false }
    consumers[consumer].lentEnd = chunk.end
    cursor.advance(to: max(cursor.position, chunk.start))
    return chunk
  }

  /// Whether everything was got by a consumer.
  func isAtEnd(_ cursor: EventCursor) -> Bool { cursor.position >= chunks.last?.end ?? 0 }

  /// Ends a consumer.
  mutating func unsubscribe(_ cursor: EventCursor) {
    left = front
    consumers.removeAll { $0.cursor === cursor }
  }

  /// Forgets what every consumer has got.
  ///
  /// - Parameter exactly: Whether this takes in the beginning of a chunk of which something is left, which
  ///   costs its length.
  /// - Returns: What was got since the last time.
  mutating func trim(exactly: Bool = false) -> SmallArray<ArraySlice<Element>> {
    let first = consumers.reduce(front) { min($0, $1.cursor.position) }
    var taken = SmallArray<ArraySlice<Element>>()
    guard first > base else { return taken }
    for chunk in chunks {
      let (lower, upper) = (max(base, chunk.start), min(first, chunk.end))
      if lower < upper { taken.append(chunk.events[lower - chunk.start..<upper - chunk.start]) }
      if chunk.end >= first { break }
    }
    base = first
    let gone = firstChunk(after: first)
    count -= chunks[..<gone].reduce(0) { $0 + $1.events.count }
    chunks.removeSubrange(..<gone)
    if chunks.isEmpty { isLastOpen = false }
    if exactly, let chunk = chunks.first, chunk.start < first {
      count -= first - chunk.start
      chunks[0] = Chunk(start: first, events: Array(chunk.events[(first - chunk.start)...]))
    }
    return taken
  }

  /// Sums up what no consumer is in the middle of.
  ///
  /// Each consumer gets either all events that were summed up as one, or none. What became fewer events stands
  /// at the last of their positions.
  mutating func merge(_ merge: ([Element]) -> [Element]) {
    let fixed = consumers.map(\.lentEnd) + (keepsUnread ? [front] : [])
    var merged: [Chunk] = []
    var run: ArraySlice<Chunk> = []
    for chunk in chunks {
      guard fixed.contains(where: { chunk.start < $0 && $0 <= chunk.end }) else {
        run.append(chunk)
        continue
      }
      merged += Self.merged(run, by: merge)
      merged.append(chunk)
      run = []
    }
    if !run.isEmpty { isLastOpen = true }
    chunks = merged + Self.merged(run, by: merge)
    count = chunks.reduce(0) { $0 + $1.events.count }
    if chunks.last?.end != end { isLastOpen = false }
  }

  private static func merged(
    _ run: ArraySlice<Chunk>, by merge: ([Element]) -> [Element]
  ) -> [Chunk] {
    guard let end = run.last?.end else { return [] }
    let events = merge(run.flatMap(\.events))
    let start = end - events.count
    return stride(from: 0, to: events.count, by: chunkCountMax).map { index in
      Chunk(start: start + index, events: Array(events[index...].prefix(chunkCountMax)))
    }
  }

  /// How many events some consumer has not got.
  var waitingCount: Int {
    let first = consumers.reduce(front) { min($0, $1.cursor.position) }
    return chunks.reduce(0) { $0 + max(0, $1.end - max($1.start, first)) }
  }

  /// Everything before was got by a consumer.
  private var front: Int {
    guard keepsUnread else { return end }
    return consumers.reduce(left) { $1.isObserver ? $0 : max($0, $1.cursor.position) }
  }

  /// The index of the first chunk that has something at a position or behind it.
  private func firstChunk(after position: Int) -> Int {
    var (lower, upper) = (0, chunks.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if chunks[middle].end <= position { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  private static var chunkCountMax: Int { 512 }
}

extension EventLog.Chunk: Sendable where Element: Sendable {}
