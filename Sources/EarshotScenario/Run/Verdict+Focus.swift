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
    /// The kind of the note that the trace has of what happened; `nil` when it is none, or one of several kinds.
    package var note: String?
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
      _ manner: Manner, at time: Duration, isEvent: Bool = false, note: String? = nil,
      pairs: [Pair], messages: [Message] = []
    ) {
      var seen: Set<String> = []
      self.init(
        manner, at: time, isEvent: isEvent,
        peers: pairs.flatMap { [$0.from, $0.to] }.filter { seen.insert($0).inserted })
      self.note = note
      self.pairs = Array(pairs.prefix(Self.pairsMax))
      self.messages = Array(messages.prefix(Self.messagesMax))
    }

    /// A focus on what had not come about by a time: on the last parting of the peers if they have parted since they
    /// met, which then is why, or else on that time.
    init(
      _ manner: Manner = .missing, absenceOf pairs: [Pair], in timeline: Timeline,
      by time: Duration, _ messages: [Message] = []
    ) {
      let parting = PairStandings(timeline, of: pairs, at: time).lastParting
      self.init(
        manner, at: parting?.time ?? time, isEvent: parting != nil, note: parting?.note.rawValue,
        pairs: pairs, messages: messages)
    }

    package static let pairsMax = 64
    package static let messagesMax = 8
  }
}

/// How pairs of peers stood with each other at a time, and since when.
struct PairStandings {
  private struct State {
    var standing = Verdict.Focus.Standing.strangers
    var since: Duration = .zero
    /// What was noted when it began; `nil` at the start.
    var note: Timeline.Kind?
  }
  private var states: [Direction: State] = [:]

  init(_ timeline: Timeline, of pairs: [Verdict.Focus.Pair], at time: Duration) {
    for pair in pairs { states[Direction(pair.from, pair.to).couple] = State() }
    for entry in timeline.entries {
      guard entry.time <= time else { break }
      guard let observer = entry.observer else { continue }
      if entry.kind == .crashed { part(from: observer, at: entry.time) }
      guard let subject = entry.subject else { continue }
      let couple = Direction(observer, subject).couple
      guard let last = states[couple] else { continue }
      switch entry.kind {
      case .joined, .resumed:
        states[couple] = State(standing: .linked, since: entry.time, note: entry.kind)
      case .interrupted, .left:
        guard last.standing != .parted else { continue }
        states[couple] = State(standing: .parted, since: entry.time, note: entry.kind)
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
    for (couple, last) in states where last.standing == .linked {
      if couple.from == name || couple.to == name {
        states[couple] = State(standing: .parted, since: time, note: .crashed)
      }
    }
  }

  var all: Set<Verdict.Focus.Standing> { Set(states.values.map(\.standing)) }

  /// When the last pair parted that is not linked since, and what was noted of it; `nil` when none has.
  var lastParting: (time: Duration, note: Timeline.Kind)? {
    states.values.compactMap { state in
      state.note.flatMap { state.standing == .parted ? (state.since, $0) : nil }
    }.max { ($0.time, $1.note.rawValue) < ($1.time, $0.note.rawValue) }
  }
}
