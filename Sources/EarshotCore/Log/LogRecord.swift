/// An entry of the log of a peer: what happened, with its reason and its numbers as values.
///
/// Made by `Peer.log(_:)`. A record contains no bytes of messages, streams, files or contexts, no
/// keys and no verification codes; it contains identifiers, display names, service types and
/// addresses. The same records are in the traces of simulated worlds, as notes whose label is
/// `log`.
public struct LogRecord: Hashable, Sendable {
  /// The importance of a record; the cases are levels of swift-log, by the same names.
  public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Each step, such as a dialled address.
    case debug
    /// An event that users notice, such as a new member.
    case info
    /// Something out of the ordinary that Earshot deals with, such as an interrupted link.
    case notice
    /// Something that may need a person, such as a changed key.
    case warning
    /// Something that does not work, and needs a person.
    case error

    /// Orders levels from `debug` to `error`.
    public static func < (left: Level, right: Level) -> Bool { left.number < right.number }

    /// Its place in the order, from 0.
    package var number: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .notice: 2
      case .warning: 3
      case .error: 4
      }
    }
  }

  /// The part of a peer that a record comes from.
  @nonexhaustive
  public enum Subsystem: String, Hashable, Sendable, CaseIterable {
    /// The life of the peer.
    case peer
    /// Advertisers, browsers, and multicast DNS.
    case discovery
    /// Trust policies, keys and verification.
    case trust
    /// Invitations in both directions.
    case invitation
    /// Connections with other peers.
    case link
    /// Sessions and their members.
    case session
    /// Byte streams.
    case stream
    /// Files.
    case resource
  }

  /// The time of the event, by the clock of the peer's host.
  public let time: Instant
  /// The kind of the record.
  public let event: Event
  /// The importance; that of the event, or a higher one after a failure.
  public let level: Level
  /// The part of the peer that it comes from.
  public var subsystem: Subsystem { event.subsystem }
  /// The peer that has made the record.
  public let local: PeerID
  /// The remote peer that it is about; `nil` if it is about none, or its key is not known yet.
  public let peer: PeerID?
  /// The number of the link that it is about: from 1, unique for one local peer.
  public let link: Int?
  /// The address and port of the remote side.
  public let endpoint: Endpoint?
  /// The service type that it is about.
  public let service: String?
  /// A code word for the reason, such as `timedOut`.
  public let reason: String?
  /// Amounts by their names.
  ///
  /// A name ends with its unit: `bytesSent` counts bytes, `waitMilliseconds`
  /// milliseconds; `port` is the number of a port.
  public let numbers: [String: Int]
  /// The sentence for people.
  public let message: String

  /// A record of its parts.
  package init(
    _ event: Event, at level: Level, time: Instant, by local: PeerID, of peer: PeerID? = nil,
    link: Int? = nil, endpoint: Endpoint? = nil, service: String? = nil, reason: String? = nil,
    numbers: [String: Int] = [:], message: String
  ) {
    (self.event, self.level, self.time, self.local) = (event, level, time, local)
    (self.peer, self.link, self.endpoint) = (peer, link, endpoint)
    (self.service, self.reason, self.numbers) = (service, reason, numbers)
    self.message = message
  }
}

extension LogRecord {
  /// All but the message, the level and the time, as texts: the metadata of a logger.
  ///
  /// The keys are those of `event`, `subsystem`, `local`, `peer`, `link`, `endpoint`, `service` and
  /// `reason` that have a value, and the names of the numbers.
  public var metadata: [String: String] {
    var metadata = numbers.mapValues(\.description)
    metadata["event"] = event.rawValue
    metadata["subsystem"] = subsystem.rawValue
    metadata["local"] = local.description
    metadata["peer"] = peer?.description
    metadata["link"] = link?.description
    metadata["endpoint"] = endpoint?.description
    metadata["service"] = service
    metadata["reason"] = reason
    return metadata
  }

  /// The record without its time, as traces of simulated worlds have it.
  package var line: String {
    var details = link.map { ["link \($0)"] } ?? []
    if let reason { details.append("reason \(reason)") }
    details += numbers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let suffix = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
    return "\(level.rawValue) \(subsystem.rawValue) \(local.short): \(message)\(suffix)"
  }
}

extension LogRecord: CustomStringConvertible {
  /// One line: the time in seconds, the level, the subsystem, the short identifier of the local
  /// peer, the message, and in parentheses the link, the reason and the numbers.
  public var description: String { "\(time) \(line)" }
}
