import EarshotSimulator

extension Verdict {
  /// The moment at which it became certain that something did not hold, and the peers and messages concerned.
  package struct Focus: Hashable, Sendable, Codable {
    /// How something was missed.
    package enum Manner: String, Hashable, Sendable, Codable, CaseIterable {
      /// Less was there, or happened, than had to.
      case missing
      /// More was there, or happened, than was allowed.
      case excess
      /// It took too long.
      case late
      /// Nothing was there that it could be asked of.
      case absent
      /// It came before its turn.
      case early
      /// It ended in another way.
      case ending
      /// What never must be was seen.
      case violation
    }

    /// Two peers, of which the first has to see, send to or invite the second.
    package struct Pair: Hashable, Sendable, Codable {
      package var from: String
      package var to: String

      package init(_ from: String, _ to: String) { (self.from, self.to) = (from, to) }
    }

    /// How two peers stood with each other at the moment.
    package enum Standing: String, Hashable, Sendable, Codable, CaseIterable {
      /// They had not been members of one session.
      case strangers
      /// They were, with a link that was up.
      case linked
      /// They had been, and the link was broken, or the membership over.
      case parted
    }

    /// A message, known by the number of its series and its own number in that.
    package struct Message: Hashable, Sendable, Codable {
      package var from: String
      package var to: String
      package var series: Int
      package var number: Int
      /// When it was given to the session.
      package var sent: Duration
      /// When it arrived; `nil` if it did not.
      package var arrived: Duration?

      package init(
        _ from: String, _ to: String, series: Int, number: Int, sent: Duration, arrived: Duration?
      ) {
        (self.from, self.to) = (from, to)
        (self.series, self.number) = (series, number)
        (self.sent, self.arrived) = (sent, arrived)
      }
    }

    package var manner: Manner
    /// When it became certain, or when what made it so happened.
    package var time: Duration
    /// Whether something happened at that time, and not: nothing had happened by then.
    package var isEvent = false
    /// The pairs of peers that it is about, at most ``pairsMax``; none when it is about no pair.
    package var pairs: [Pair] = []
    /// The peers that it is about, each once; none when it is about all.
    package var peers: [String] = []
    /// The first messages that it is about, at most ``messagesMax``.
    package var messages: [Message] = []
    /// How the pairs stood with each other.
    package var standings: Set<Standing> = []

    /// A focus on single peers.
    package init(
      _ manner: Manner, at time: Duration, isEvent: Bool = false, peers: [String] = []
    ) {
      (self.manner, self.time, self.isEvent, self.peers) = (manner, time, isEvent, peers)
    }

    /// A focus on pairs of peers.
    init(
      _ manner: Manner, at time: Duration, isEvent: Bool = false, pairs: [Pair],
      messages: [Message] = []
    ) {
      var seen: Set<String> = []
      self.init(
        manner, at: time, isEvent: isEvent,
        peers: pairs.flatMap { [$0.from, $0.to] }.filter { seen.insert($0).inserted })
      self.pairs = Array(pairs.prefix(Self.pairsMax))
      self.messages = Array(messages.prefix(Self.messagesMax))
    }

    package static let pairsMax = 64
    package static let messagesMax = 8
  }
}

/// How pairs of peers stood with each other at a time, and since when.
struct PairStandings {
  private var standings: [Direction: (standing: Verdict.Focus.Standing, since: Duration)] = [:]

  init(_ timeline: Timeline, of pairs: [Verdict.Focus.Pair], at time: Duration) {
    for pair in pairs { standings[Direction(pair.from, pair.to).couple] = (.strangers, .zero) }
    for entry in timeline.entries {
      guard entry.time <= time else { break }
      guard let observer = entry.observer else { continue }
      if entry.kind == .crashed { part(from: observer, at: entry.time) }
      guard let subject = entry.subject else { continue }
      let couple = Direction(observer, subject).couple
      guard let last = standings[couple] else { continue }
      switch entry.kind {
      case .joined, .resumed: standings[couple] = (.linked, entry.time)
      case .interrupted, .left:
        if last.standing != .parted { standings[couple] = (.parted, entry.time) }
      case .found, .updated, .lost, .invited, .answered, .outcome, .started, .suspended, .awoke,
        .disconnected, .rejoined, .removed, .stopped, .crashed, .failed, .fault, .faultEnded,
        .streamOpened, .streamEnded, .fileOffered, .fileAccepted, .filePaused, .fileContinued,
        .fileEnded:
        break
      }
    }
  }

  /// A peer has lost its memory: its links are broken.
  private mutating func part(from name: String, at time: Duration) {
    for (couple, last) in standings where last.standing == .linked {
      if couple.from == name || couple.to == name { standings[couple] = (.parted, time) }
    }
  }

  var all: Set<Verdict.Focus.Standing> { Set(standings.values.map(\.standing)) }

  /// When the last pair parted that is not linked since; `nil` when none has.
  var lastParting: Duration? {
    standings.values.filter { $0.standing == .parted }.map(\.since).max()
  }
}
