import EarshotCore

/// What has happened between a peer and others, the last facts of each.
struct PeerHistory {
  enum Fact: Hashable {
    case discovered(service: String, [Endpoint])
    case lost(service: String)
    /// A host at an address announces the key of this peer.
    case shared(IPAddress)
    /// An invitation for a service began.
    case invited(service: String)
    /// A dial without an invitation began.
    case dialled
    case reached(Endpoint)
    case missed(Endpoint, LinkEnd)
    /// The link of an invitation ended before the answer.
    case unanswered(LinkEnd)
    /// The session of this peer had no place left.
    case noPlace
    case concluded(InvitationOutcome)
    case joined
    case interrupted(InterruptionReason)
    case resumed
    case left(DepartureReason)
  }
  struct Entry {
    let fact: Fact
    let time: Instant
  }
  /// What is known of one peer.
  struct Record {
    var name: String?
    var entries: [Entry] = []
    /// When something happened last, counted in facts.
    fileprivate var number = 0

    fileprivate mutating func add(_ entry: Entry, _ name: String?, _ number: Int) {
      self.number = number
      self.name = name ?? self.name
      // A peer that changes its addresses again and again is discovered once.
      if case .discovered = entry.fact, case .discovered? = entries.last?.fact {
        entries.removeLast()
      }
      entries.append(entry)
      entries.removeFirst(max(0, entries.count - PeerHistory.factsMax))
    }
  }

  private var records: [PeerID: Record] = [:]
  private var lastNumber = 0

  subscript(peer: PeerID) -> Record { records[peer] ?? Record() }

  /// What a peer called itself last.
  func name(of peer: PeerID) -> String? { records[peer]?.name }

  /// The peers, the one about which something happened last first.
  var peers: [PeerID] {
    records.sorted { $0.value.number > $1.value.number }.map(\.key)
  }

  /// Notes what has happened, and what the peer calls itself if that is known.
  mutating func note(_ fact: Fact, of peer: PeerID, named name: String? = nil, at now: Instant) {
    lastNumber += 1
    records[peer, default: Record()].add(Entry(fact: fact, time: now), name, lastNumber)
    if records.count > Self.peersMax { forgetOldest() }
  }

  private mutating func forgetOldest() {
    let oldest = records.min { $0.value.number < $1.value.number }
    if let oldest { records[oldest.key] = nil }
  }

  static let factsMax = 16
  static let peersMax = 256
}

extension PeerHistory.Fact: CustomStringConvertible {
  var description: String {
    switch self {
    case .discovered(let service, let endpoints):
      "was discovered for “\(service)” at \(endpoints.isEmpty ? "no address" : endpoints.listed)"
    case .lost(let service): "was lost for “\(service)”"
    case .shared(let address): "its key is announced by the host at \(address) too"
    case .invited(let service): "was invited for “\(service)”"
    case .dialled: "was dialled without an invitation"
    case .reached(let endpoint): "was reached at \(endpoint)"
    case .missed(let endpoint, let end): "was not reached at \(endpoint): \(end.words)"
    case .unanswered(let end): "the link ended before the answer: \(end.words)"
    case .noPlace: "the session of this peer had no place left for it"
    case .concluded(let outcome): "the invitation ended as \(outcome.rawValue)"
    case .joined: "became a member"
    case .interrupted(let reason): "was interrupted (\(reason.rawValue))"
    case .resumed: "was resumed"
    case .left(let reason): "left (\(reason.rawValue))"
    }
  }
}

extension PeerID {
  /// A peer in a sentence: its name, if that is known, and its short identifier.
  func named(_ name: String?) -> String { name.map { "\($0) (\(short))" } ?? short }
}

extension [Endpoint] {
  /// The endpoints in a row.
  var listed: String { map(\.description).joined(separator: ", ") }
}

extension LinkEnd {
  /// The end of a link that was dialled, in words.
  var words: String {
    switch self {
    case .unreachable(let error): "\(error)"
    case .broken: "the connection broke"
    case .silence: "nothing was received for too long"
    case .otherPeer(let peer): "another peer (\(peer.short)) answered"
    case .closed(let code): "it closed the link (\(code))"
    case .violation(let code): "this peer closed the link (\(code))"
    }
  }
}
