import EarshotCore

/// The calls that wait for something of the streams of one membership, those of each stream in
/// their order.
struct StreamWaits {
  /// Names one call, by which it can be given up.
  typealias ID = Int

  /// A call that waits.
  protocol Wait {
    var id: ID { get }
  }

  /// A call that waits to write bytes.
  struct Writer: Wait {
    let id: ID
    let bytes: [UInt8]
    var taken: Int
    let promise: Promise<StreamOutcome<Int>>

    /// What is not taken, and whether what is taken may be shared: not a small part of much.
    var rest: (bytes: ArraySlice<UInt8>, isShareable: Bool) {
      (bytes[taken...], bytes.capacity <= Self.sharedCapacityMax)
    }
    static let sharedCapacityMax = 1 << 20
  }
  /// A call that waits to read bytes.
  struct Reader: Wait {
    enum Amount {
      case upTo(Int), exactly(Int)
    }
    let id: ID
    let amount: Amount
    let promise: Promise<StreamOutcome<[UInt8]?>>
  }
  /// A call that waits until everything before a position has arrived.
  struct Deliverer: Wait {
    let id: ID
    let position: UInt64
    let isEndAwaited: Bool
    let promise: Promise<StreamOutcome<Void>>
  }
  /// A call that waits until what the other side writes ends before its end.
  struct Watcher: Wait {
    let id: ID
    let promise: Promise<StreamFailure>
  }
  /// A call that waits until so many bytes are unread.
  struct Gatherer: Wait {
    let id: ID
    let count: Int
    let promise: Promise<Void>
  }
  /// A call that waits until one more stream may be opened.
  struct Opener: Wait {
    let id: ID
    let name: String
    let priority: StreamPriority
    let isTwoWay: Bool
    let promise: Promise<StreamOutcome<ByteStream>>
  }

  var writers: [StreamNumber: [Writer]] = [:]
  var readers: [StreamNumber: [Reader]] = [:]
  var deliverers: [StreamNumber: [Deliverer]] = [:]
  var watchers: [StreamNumber: [Watcher]] = [:]
  var gatherers: [StreamNumber: [Gatherer]] = [:]
  var openers: [Opener] = []
  /// The streams that are finished behind the calls that wait to write.
  var finishing: Set<StreamNumber> = []
  private var lastID = 0

  /// A name for one more call.
  mutating func makeID() -> ID {
    lastID += 1
    return lastID
  }
}

extension Dictionary where Key == StreamNumber {
  /// Takes a call out that waits no longer.
  ///
  /// - Returns: The call; `nil` if it did not wait.
  mutating func remove<Call: StreamWaits.Wait>(
    _ id: StreamWaits.ID, of number: StreamNumber
  ) -> Call? where Value == [Call] {
    guard let place = index(forKey: number),
      let index = values[place].firstIndex(where: { $0.id == id })
    else { return nil }
    let call = values[place].remove(at: index)
    if values[place].isEmpty { remove(at: place) }
    return call
  }
}

/// How a call that may have to wait ends.
typealias StreamOutcome<Value: Sendable> = Result<Value, StreamFailure>

/// Why a call on a stream fails.
enum StreamFailure: Error, Sendable {
  /// The task was cancelled, and nothing has happened.
  case cancelled
  /// This side has ended that direction, or never had it.
  case finished
  /// The stream ended before as many bytes as were asked for.
  case short(Int)
  /// One side has ended that direction at once.
  case aborted(StreamAbort, byRemote: Bool)
  /// The session was left.
  case sessionEnded
  /// The member has left.
  case notConnected
}
