import EarshotCore

/// What happened in a run, as its peers saw it, in the order of virtual time.
///
/// Messages are not among it, they are counted: see ``Verdict/messages``.
public struct Timeline: Hashable, Sendable {
  /// One thing that happened.
  public struct Entry: Hashable, Sendable {
    /// When, since the start of the run.
    public var time: Duration
    /// The peer that saw it; `nil` when it befell the network.
    public var observer: String?
    /// What happened.
    public var kind: Kind
    /// The peer that it was about; `nil` for the observer itself.
    public var subject: String?
    /// Which identity of the subject, counted from 0; a restart with a new identity makes one more.
    public var identity: Int
    /// Why, or how it ended; empty when there is nothing to say.
    public var detail: String
    /// In which of the sessions that the scenario names; `main` unless it says otherwise.
    public var session: String
    /// Which of the observer's sessions of that name, counted from 0: a program that rejoins has one more, while the
    /// one before may still be ending.
    public var sessionNumber: Int
    /// In which of the subject's, for one that joined; the same unless the two have crossed.
    package var otherSession: String

    package init(
      _ time: Duration, _ observer: String?, _ kind: Kind, _ subject: String? = nil,
      identity: Int = 0, _ detail: String = "", in session: String = "main",
      sessionNumber: Int = 0, with otherSession: String? = nil
    ) {
      (self.time, self.observer, self.kind) = (time, observer, kind)
      (self.subject, self.identity, self.detail) = (subject, identity, detail)
      (self.session, self.sessionNumber) = (session, sessionNumber)
      self.otherSession = otherSession ?? session
    }
  }

  /// The kinds of things that happen.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Discovery.
    case found, updated, lost
    /// Invitations: one that arrived, how it was answered, how one of the observer's own ended.
    case invited, answered, outcome
    /// Sessions.
    case joined, interrupted, resumed, left
    /// Streams: one that the observer opened to a member, and the end of one of its directions.
    case streamOpened, streamEnded
    /// Files: one that the observer offered to a member, one of a member's that it accepted; a
    /// standstill of a transfer and its end; the end of the transfer.
    case fileOffered, fileAccepted, filePaused, fileContinued, fileEnded
    /// What a program does: it runs, sleeps, wakes, leaves a session and makes it anew, removes a member,
    /// stops its peer.
    case started, suspended, awoke, disconnected, rejoined, removed, stopped
    /// The end of a program: its power fails, or it could not go on.
    case crashed, failed
    /// A fault, and its end.
    case fault, faultEnded
  }

  /// Everything, the earliest first.
  public internal(set) var entries: [Entry] = []

  /// A timeline of the given entries.
  package init(_ entries: [Entry] = []) { self.entries = entries }

  mutating func append(_ entry: Entry) { entries.append(entry) }
}

extension Timeline.Entry: CustomStringConvertible {
  /// Time, observer, kind, subject and detail, between tabs.
  public var description: String {
    [Instant.zero.text(after: time), observer ?? "-", kind.rawValue, subject ?? "-", detail]
      .joined(separator: "\t")
  }

  /// The reason, without the number of messages that were not delivered.
  var reason: String { String(detail.prefix { $0 != "," }) }

  /// How many messages were not delivered, as the end of a membership tells.
  var undelivered: Int {
    guard let comma = detail.firstIndex(of: ",") else { return 0 }
    return Int(detail[comma...].filter(\.isNumber)) ?? 0
  }
}

extension Instant {
  /// A time since the start as seconds with six decimals.
  func text(after duration: Duration) -> String { (self + duration).description }
}
