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
    /// A note of the code above the network.
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
    /// The link is cut in this direction.
    case cut
    /// The hosts are in different parts of a partition.
    case partition
    /// A rule drops it.
    case rule
    /// Its host has crashed in the meantime.
    case down
    /// No socket of its host takes it: none is open there, or the host's app is suspended.
    case unbound
    /// Its host is frozen, and the buffer of the socket has no room.
    case buffer
    /// The listener has too many connections that wait to be accepted.
    case backlog
    /// Its sender or its receiver is cut off from others.
    case isolated
    /// The interface of its sender or its receiver is gone.
    case unplugged
    /// Its sender or its receiver does not have the address any more.
    case address
    /// It was harmed on its way, and its checksum says so.
    case checksum
    /// The further loss of datagrams to one host, by chance.
    case datagram

    var number: UInt64 { UInt64(Self.allCases.firstIndex(of: self) ?? 0) }
  }
  /// Its number, from 0.
  public let number: Int
  /// The number of the event that led to it; `nil` for what no event did, such as the first job of a task.
  ///
  /// A delivery, and a loss, follow from the sending of the packet. What code sends and notes, and what is done to
  /// the world meanwhile, follow from the event that is being handled: a delivery, a timer or a
  /// fault. A timer follows from the event during which it was armed.
  ///
  /// Handled is the event that was dispatched last: a task that an event resumes runs behind what was ready already,
  /// within the same instant, and before the next event. Where work of several events waits for one host to go on, all of it
  /// follows from the resumption. Causes are not part of the hash.
  public let cause: Int?
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
  /// Why it is lost, if it is.
  public let loss: Loss?
  /// The payload of a packet that was sent; otherwise empty.
  public let payload: [UInt8]
  /// The headers of a packet that was sent, delivered or lost; otherwise `nil`.
  public let packet: PacketHeader?
  let text: String
  private let boxedRecord: RecordBox?

  /// The record of the log of a peer, if the note is one.
  ///
  /// Its ``label`` is `log`, and its ``detail`` is the record's line without the time.
  public var record: LogRecord? { boxedRecord?.record }

  /// A record apart from its event, since few events have one.
  private final class RecordBox: Hashable, Sendable {
    let record: LogRecord

    init(_ record: LogRecord) { self.record = record }

    static func == (left: RecordBox, right: RecordBox) -> Bool { left.record == right.record }

    func hash(into hasher: inout Hasher) { hasher.combine(record) }
  }

  init(
    number: Int, cause: Int?, time: Instant, kind: Kind, from: String, to: String, label: String,
    loss: Loss?, payload: [UInt8], packet: PacketHeader?, text: String, record: LogRecord? = nil
  ) {
    (self.number, self.cause, self.time, self.kind) = (number, cause, time, kind)
    (self.from, self.to, self.label, self.loss) = (from, to, label, loss)
    (self.payload, self.packet, self.text) = (payload, packet, text)
    boxedRecord = record.map { RecordBox($0) }
  }

  /// What a packet is, the hosts of a partition, or the text of a note.
  public var detail: String { packet?.description ?? text }
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
