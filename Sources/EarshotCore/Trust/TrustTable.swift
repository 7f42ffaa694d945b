/// Whom one peer trusts: what its rule says, what the program has said, and the questions that are open.
///
/// A key is judged twice: when the channel has proved it, and when its owner has said what it calls itself. A rule that
/// goes by the key alone needs the first time only. What the program says of one peer counts more than the rule,
/// and so does a verification code that differed.
package struct TrustTable: Hashable, Sendable {
  package enum Rule: Hashable, Sendable {
    case anyPeer
    case pinned(Set<PeerID>)
    /// Who is known, and who is new unless its name is that of somebody who is known.
    case firstUse
    /// Who is known, and whom the program approves in time.
    case approval(within: Duration)
  }
  /// A peer that is to be judged, and what is stored of it and of its name.
  package struct Candidate: Hashable, Sendable {
    let peer: PeerID
    let isKnown: Bool
    let namesakes: [PeerID]  // Who are known by that name and have other keys.

    /// A peer with what is stored of it.
    package init(_ peer: PeerID, isKnown: Bool, namesakes: [PeerID]) {
      (self.peer, self.isKnown, self.namesakes) = (peer, isKnown, namesakes)
    }
  }
  package enum Verdict: Hashable, Sendable {
    case trusted, refused
    case changed(isNews: Bool)  // Refused: its name is that of another key. News once.
    case toBeAsked  // A question is open from now on.
    case asked  // One was open before.
    case crowded  // Refused this time: too many questions are open.
  }
  package enum Standing: Hashable, Sendable { case trusted, refused, undecided }

  /// How many questions are open at once at most.
  package static let questionsMax = 16
  /// How many of what others bring about are remembered; the oldest are forgotten first.
  ///
  /// Those are answers of no, peers that say that a code differs, and changes that were told. What the program has said
  /// is not forgotten.
  package static let remembered = 1_024

  private let rule: Rule
  private var approved: Set<PeerID> = []
  private var refused: Set<PeerID> = []
  private var denied: Recent<PeerID>  // About whom the answer was no.
  private var rejected: Set<PeerID> = []  // Whose code differed in the eyes of the people here.
  private var rejecting: Recent<PeerID>  // Who said that the code differs.
  private var told: Recent<PeerID>  // Whose change of key was told.
  private var deadlines: [PeerID: Instant] = [:]  // Of the open questions.

  /// Judges by a rule.
  package init(_ rule: Rule) {
    self.rule = rule
    (denied, told) = (Recent(countMax: Self.remembered), Recent(countMax: Self.remembered))
    rejecting = Recent(countMax: Self.remembered)
  }

  /// Whether a key is refused whatever its owner calls itself.
  package func refuses(_ peer: PeerID) -> Bool { standing(of: peer, isKnown: false) == .refused }

  /// What is to be said of a key, by whatever name.
  package func standing(of peer: PeerID, isKnown: Bool) -> Standing {
    if approved.contains(peer) { return .trusted }
    if refused.contains(peer) || denied.contains(peer) || isRejected(peer) { return .refused }
    switch rule {
    case .anyPeer: return .trusted
    case .pinned(let peers): return peers.contains(peer) ? .trusted : .refused
    case .firstUse, .approval: return isKnown ? .trusted : .undecided
    }
  }

  /// Judges a peer that has proved its key.
  ///
  /// Who has somebody else's name is refused on first use also when it is known itself, by another name.
  package mutating func judge(_ candidate: Candidate, at now: Instant) -> Verdict {
    let peer = candidate.peer
    if case .firstUse = rule, !candidate.namesakes.isEmpty, !approved.contains(peer) {
      return .changed(isNews: told.insert(peer))
    }
    // Who takes another name than its own is as good as new.
    switch standing(of: peer, isKnown: candidate.isKnown && candidate.namesakes.isEmpty) {
    case .trusted: return .trusted
    case .refused: return .refused
    case .undecided: break
    }
    guard case .approval(let time) = rule else { return .trusted }
    guard deadlines[peer] == nil else { return .asked }
    guard deadlines.count < Self.questionsMax else { return .crowded }
    deadlines[peer] = now + time
    return .toBeAsked
  }

  // MARK: Questions

  /// Takes an answer in; does nothing when the question is not open any more.
  ///
  /// - Returns: Whether it was open.
  package mutating func answer(_ peer: PeerID, _ isTrusted: Bool) -> Bool {
    guard deadlines.removeValue(forKey: peer) != nil else { return false }
    if isTrusted { approve(peer) } else { denied.insert(peer) }
    return true
  }

  /// Forgets a question, which may be asked again.
  package mutating func withdraw(_ peer: PeerID) { deadlines[peer] = nil }

  /// When the next question has waited long enough.
  package var nextDeadline: Instant? { deadlines.values.min() }

  /// Takes out the questions that have waited long enough, in the order of their peers.
  package mutating func expire(at now: Instant) -> [PeerID] {
    let expired = deadlines.filter { $0.value <= now }.keys.sorted()
    for peer in expired { deadlines[peer] = nil }
    return expired
  }

  // MARK: Decisions

  /// Takes in what the program says of a peer, for as long as this is kept.
  package mutating func decide(_ peer: PeerID, _ isTrusted: Bool) {
    deadlines[peer] = nil
    guard !isTrusted else { return approve(peer) }
    approved.remove(peer)
    refused.insert(peer)
  }

  private mutating func approve(_ peer: PeerID) {
    refused.remove(peer)
    denied.remove(peer)
    approved.insert(peer)
  }

  // MARK: Verification codes

  private func isRejected(_ peer: PeerID) -> Bool {
    rejected.contains(peer) || rejecting.contains(peer)
  }

  /// The code of a peer differs: what was approved of it is taken back, and it is refused by any rule.
  ///
  /// What other sides say is remembered apart, since anybody can say so of itself: it crowds out nothing but the like.
  package mutating func reject(_ peer: PeerID, isRemote: Bool) {
    deadlines[peer] = nil
    approved.remove(peer)
    if isRemote { rejecting.insert(peer) } else { rejected.insert(peer) }
  }

  /// The code of a peer is the same on both sides: that it differed before counts no longer.
  package mutating func verified(_ peer: PeerID) {
    rejected.remove(peer)
    rejecting.remove(peer)
  }
}

/// The last elements that were put in, each once.
private struct Recent<Element: Hashable & Sendable>: Hashable, Sendable {
  private let countMax: Int
  private var order: [Element] = []
  private var elements: Set<Element> = []

  init(countMax: Int) { self.countMax = countMax }

  func contains(_ element: Element) -> Bool { elements.contains(element) }

  /// - Returns: Whether it was not there.
  @discardableResult
  mutating func insert(_ element: Element) -> Bool {
    guard elements.insert(element).inserted else { return false }
    order.append(element)
    if order.count > countMax { elements.remove(order.removeFirst()) }
    return true
  }

  mutating func remove(_ element: Element) {
    guard elements.remove(element) != nil else { return }
    order.removeAll { $0 == element }
  }
}
