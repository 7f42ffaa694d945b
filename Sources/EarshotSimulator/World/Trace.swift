/// Everything that happened, as one number, with a checkpoint every so many events.
struct Trace {
  private(set) var hash = RollingHash()
  private(set) var eventCount = 0
  private(set) var checkpoints: [RollingHash] = []

  /// Takes in one event.
  mutating func add(
    _ kind: TraceEvent.Kind, _ time: Int64, _ from: Int, _ to: Int, _ bytes: Int, _ payload: UInt64
  ) {
    hash.combine(UInt64(bitPattern: time))
    hash.combine(kind.number << 56 | UInt64(from) << 28 | UInt64(to))
    hash.combine(payload ^ UInt64(bytes))
    eventCount += 1
    if eventCount % TraceDigest.checkpointEvents == 0 { checkpoints.append(hash) }
  }

  /// The hash of a payload.
  static func hash(of bytes: Span<UInt8>) -> UInt64 {
    var hash = RollingHash()
    bytes.withUnsafeBytes { bytes in
      let words = bytes.count / 8
      for index in 0..<words {
        hash.combine(
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)))
      }
      for index in 8 * words..<bytes.count { hash.combine(UInt64(bytes[index])) }
      hash.combine(UInt64(bytes.count))
    }
    return hash.value
  }
}

/// What is left of a trace when the run is over, to be compared with that of another run.
public struct TraceDigest: Hashable, Sendable {
  /// How many events there are from one checkpoint to the next.
  public static let checkpointEvents = 1_024
  /// The hash of all events.
  public let hash: RollingHash
  /// How many events there were.
  public let eventCount: Int
  /// The hash after every 1,024 events.
  public let checkpoints: [RollingHash]

  /// The numbers of the events of which the first that differs is one, or `nil` when the runs are equal.
  public func firstDifference(from other: TraceDigest) -> Range<Int>? {
    guard self != other else { return nil }
    let common = zip(checkpoints, other.checkpoints).prefix { $0 == $1 }.count
    let start = common * Self.checkpointEvents
    return start..<start + Self.checkpointEvents
  }
}

/// Something that happened in a world.
public struct TraceEvent: Hashable, Sendable {
  /// The kinds of events.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A timer of a host fired.
    case timer
    /// A packet was sent.
    case sent
    /// A packet that was sent is lost.
    case lost
    /// A packet arrived at its host.
    case delivered
    /// The world did something to a host or a link.
    case fault
    /// Something that the code above the network wanted to be known.
    case note

    var number: UInt64 {
      switch self {
      case .timer: 1
      case .sent: 2
      case .lost: 3
      case .delivered: 4
      case .fault: 5
      case .note: 6
      }
    }
  }
  /// Why a packet is lost.
  public enum Loss: String, Hashable, Sendable, CaseIterable {
    /// The link's loss, by chance; of a fragment, too.
    case chance
    /// The further loss of multicast, by chance.
    case multicast
    /// The queue of a link with a bandwidth has no room.
    case queue
    /// The way is cut in this direction.
    case cut
    /// The hosts are in different parts of a partition.
    case partition
    /// A rule drops it.
    case rule
    /// Its host has crashed while it was on its way.
    case down
    /// No socket of its host takes it: none is open there, or its app is suspended.
    case unbound
    /// Its host is frozen, and the buffer of the socket has no room.
    case buffer
    /// The listener has too many connections that wait to be accepted.
    case backlog

    var number: UInt64 { UInt64(Self.allCases.firstIndex(of: self) ?? 0) }
  }
  /// Its number, from 0.
  public let number: Int
  /// When it happened.
  public let time: Instant
  /// What kind of event it is.
  public let kind: Kind
  /// The host that did it, or that it was done to; empty for the world itself.
  public let from: String
  /// The host at the other end, or empty.
  public let to: String
  /// `udp` or `tcp`, the kind of a note, the name of a fault, or empty.
  public let label: String
  /// What a packet is, the hosts of a partition, or the text of a note.
  public let detail: String
  /// Why it is lost, if it is.
  public let loss: Loss?
  /// The payload of a packet that was sent; otherwise empty.
  public let payload: [UInt8]
}

extension TraceEvent: CustomStringConvertible {
  /// The names of the fields of a line, with tabs between them.
  public static let header = "time\tkind\tfrom\tto\tlabel\tdetail"

  /// One line of a table: the time, the kind, from, to, the label and the detail, with tabs between them.
  ///
  /// The detail of a loss begins with its reason. Control characters and backslashes are escaped.
  public var description: String {
    let reason = loss.map { "\($0.rawValue): " } ?? ""
    return [time.description, kind.rawValue, from, to, label, reason + detail]
      .map(Self.escape).joined(separator: "\t")
  }

  /// What would end a field or a line is written as in Swift's literals.
  private static func escape(_ field: String) -> String {
    guard field.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0x5C }) else {
      return field
    }
    return field.unicodeScalars.map { scalar in
      switch scalar {
      case "\t": "\\t"
      case "\n": "\\n"
      case "\r": "\\r"
      case "\\": "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }.joined()
  }
}
