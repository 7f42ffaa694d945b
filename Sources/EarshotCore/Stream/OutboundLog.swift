/// The frames that were sent over the link of a membership and are not known to have arrived, in
/// order.
///
/// Positions count the bytes of whole frames, headers included, from 0:
///
/// ```
///   forgotten      under way
/// ──────────────┬──────────────┐
///          acknowledged       end
/// ```
///
/// A frame enters when it goes out. The bytes themselves stay where they came from: in the queue of
/// messages, in that of control frames, or in their stream. So a link that breaks costs nothing:
/// all sources take back what is not acknowledged (``takeBack()``), and what goes first over the
/// next link is decided anew.
package struct OutboundLog: Hashable, Sendable {
  /// Where frames come from.
  package enum Source: Hashable, Sendable {
    case control, messages
    case stream(StreamNumber)
    case farewell
  }
  /// Successive frames of one queue, or one other frame.
  package struct Entry: Hashable, Sendable {
    /// Where they come from.
    package let source: Source
    /// Their bytes on the wire, headers included.
    package fileprivate(set) var frameBytes: Int
    /// The bytes of a stream in the frame.
    package let streamBytes: Int
    /// Whether the stream ends with the frame.
    package let isFinal: Bool
  }

  /// Everything before was received and is forgotten.
  package private(set) var acknowledged: UInt64 = 0
  /// Everything before was sent.
  package private(set) var end: UInt64 = 0

  private var entries: [Entry] = []  // From `head` on; those before are forgotten.
  private var head = 0

  /// A log at position 0.
  package init() {}

  /// How many bytes are under way.
  package var bytesUnderWay: Int { Int(end - acknowledged) }

  /// Whether everything that was sent was received.
  package var isEmpty: Bool { end == acknowledged }

  /// Adds frames of a queue, which have just gone out.
  package mutating func append(_ source: Source, frameBytes: Int) {
    end += UInt64(frameBytes)
    if let last = entries.indices.last, last >= head, entries[last].source == source {
      entries[last].frameBytes += frameBytes
    } else {
      append(Entry(source: source, frameBytes: frameBytes, streamBytes: 0, isFinal: false))
    }
  }

  /// Adds LEAVE, which has just gone out.
  package mutating func appendFarewell(frameBytes: Int) {
    end += UInt64(frameBytes)
    append(Entry(source: .farewell, frameBytes: frameBytes, streamBytes: 0, isFinal: true))
  }

  /// Adds a frame of a stream, which has just gone out.
  package mutating func append(
    _ stream: StreamNumber, frameBytes: Int, streamBytes: Int, isFinal: Bool
  ) {
    end += UInt64(frameBytes)
    append(
      Entry(
        source: .stream(stream), frameBytes: frameBytes, streamBytes: streamBytes,
        isFinal: isFinal))
  }

  private mutating func append(_ entry: Entry) {
    if head > 64, head > entries.count / 2 {
      entries.removeSubrange(..<head)
      head = 0
    }
    entries.append(entry)
  }

  /// Forgets what was received.
  ///
  /// - Parameters:
  ///   - received: How many bytes the remote has.
  ///   - queued: Has a queue forget its first bytes; answers whether a frame ends there, and
  ///     changes nothing if none does.
  ///   - streamed: Has a stream forget what went in one frame, in order.
  /// - Returns: Whether the position can be: it was sent, is no earlier one, and a frame ends
  ///   there. Nothing has changed if it cannot.
  package mutating func acknowledge(
    _ received: UInt64, queued: (Source, Int) -> Bool, streamed: (Entry) -> Void
  ) -> Bool {
    guard acknowledged <= received, received <= end else { return false }
    var (place, rest) = (head, Int(received - acknowledged))
    var (control, messages) = (0, 0)
    while place < entries.count, rest > 0 {
      let bytes = min(rest, entries[place].frameBytes)
      switch entries[place].source {
      case .control: control += bytes
      case .messages: messages += bytes
      case .stream, .farewell: guard bytes == entries[place].frameBytes else { return false }
      }
      rest -= bytes
      if bytes < entries[place].frameBytes {
        rest = bytes  // Of this entry, whose queue is asked first.
        break
      }
      place += 1
    }
    if rest > 0, entries[place].source == .control {
      guard queued(.control, control) else { return false }
      if messages > 0 {
        precondition(queued(.messages, messages), "whole entries end with a frame")
      }
    } else {
      if messages > 0 { guard queued(.messages, messages) else { return false } }
      if control > 0 { precondition(queued(.control, control), "whole entries end with a frame") }
    }
    for entry in entries[head..<place] {
      if case .stream = entry.source { streamed(entry) }
    }
    if rest > 0 { entries[place].frameBytes -= rest }
    (head, acknowledged) = (place, received)
    if head == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= Self.keptCountMax)
      head = 0
    }
    return true
  }

  /// Takes back everything that is not acknowledged, as if it had not been sent: the sources do the
  /// same.
  package mutating func takeBack() {
    (entries, head, end) = ([], 0, acknowledged)
  }

  private static let keptCountMax = 256
}
