/// What happens when more peers invite than there is room for: those that are there give way to the new.
extension InvitationTable {
  /// The acceptance into a session that has waited longest to be confirmed, if a new one may take its place.
  ///
  /// It goes into `expiryRequested`.
  package func unconfirmed(in session: SessionID, at now: Instant) -> InboundID? {
    rival(among: { $0.isUnconfirmed && $0.machine.acceptedSession == session }, at: now)
  }

  /// Has one give way.
  ///
  /// - Returns: Whether one did: those that came just now do not.
  mutating func makeRoom(
    among isRival: (Inbound) -> Bool, at now: Instant, into out: inout [Action]
  ) -> Bool {
    guard let id = rival(among: isRival, at: now), let index = index(of: id) else { return false }
    if inbounds[index].machine.isOffered {
      tell(id, .declineRequested(.busy), at: now, into: &out)
      out.append(.reportWithdrawn(id, .dismissed))
    } else {
      tell(id, .dismissRequested(.expired), at: now, into: &out)
    }
    return true
  }

  /// The oldest one of the source that has most.
  private func rival(among isRival: (Inbound) -> Bool, at now: Instant) -> InboundID? {
    let rivals = inbounds.filter { isRival($0) && now - $0.since >= Self.peace }
    let counts = rivals.map { rival in inbounds.count { $0.invite.source == rival.invite.source } }
    guard let most = counts.max() else { return nil }
    let oldest = zip(rivals, counts).filter { $0.1 == most }.min { $0.0.since < $1.0.since }
    return oldest?.0.invite.id
  }

  /// When an acceptance has waited long enough to be confirmed, if others wait for an answer meanwhile.
  ///
  /// A program that answers one invitation after the other would otherwise wait for each that is silent.
  var endOfPatience: Instant? {
    guard inbounds.contains(where: \.machine.isOffered) else { return nil }
    return inbounds.filter(\.isUnconfirmed).map { $0.since + Self.patience }.min()
  }

  mutating func expireUnconfirmed(at now: Instant, into out: inout [Action]) {
    guard inbounds.contains(where: \.machine.isOffered) else { return }
    for inbound in inbounds where inbound.isUnconfirmed && inbound.since + Self.patience <= now {
      tell(inbound.invite.id, .dismissRequested(.expired), at: now, into: &out)
    }
  }

  /// How long one is left in peace: more than a round trip between hosts that are near each other.
  private static let peace = Duration.milliseconds(250)
  private static let patience = Duration.seconds(2)
}
