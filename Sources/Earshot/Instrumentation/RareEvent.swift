import EarshotNetwork

/// What happens rarely, and is worth knowing of a test that it has happened.
///
/// Each is a `reachable` property of the simulated worlds that Earshot runs in: what an exploration has not seen, it has
/// not tested.
package enum RareEvent: String, Hashable, Sendable, CaseIterable {
  // Invitations.
  case attachExpectedTwice = "an ATTACH is expected of a peer that attaches already"
  case replacedMembership = "an acceptance takes the place of another membership"
  case inviterGaveUp = "an INVITE shows that its sender has given a membership up"
  case acceptSentAgain = "an ACCEPT is sent again"
  case crossedInvitations = "two peers invite each other, and one invitation gives way"
  case acceptanceTakenBack = "an acceptance is taken back"
  case acceptanceOutlived = "an ACCEPT names a membership that came to nothing"
  case acceptanceGaveWay = "an acceptance that is not confirmed gives its place to another one"
  case acceptanceWithoutRoom = "an invitation is accepted into a full session"
  case waitForJoiningExpired = "the wait for an inviter to join expires"
  // Groups.
  case proposalRenumbered = "a membership is proposed under another number"
  case supersedingAttach = "an ATTACH takes the place of a membership"
  case attachBeforeIntroduction = "an ATTACH arrives before the introduction"
  case attachEvicted = "an ATTACH that waits for an introduction is refused to make room"
  case attachWithoutRoom = "an ATTACH is refused for want of room"
  case crossedDials = "a dial is cancelled because the other one was faster"
  case carriedAgain = "a membership goes on over another link"
  case patienceOver = "a member is given up after an interruption"
  case leftUndelivered = "a member leaves with messages undelivered"
  // Streams.
  case sendBufferFull = "a message waits for room in the send buffer"
  case writeWaits = "a call waits to write to a stream"
  case streamCarriedAgain = "streams go on over another link"
  case sendWithdrawn = "a message that waits for room is withdrawn"
  // Links and discovery.
  case strangerDropped = "a connection is dropped because too many wait to be greeted"
  case listenerLost = "the system takes the listener away"
  case otherPort = "a peer listens on another port than before"
  case lingeringEnded = "a link that is closing is given up"
  case datagramsGetThrough = "datagrams get through to a member"
  case datagramsLost = "datagrams get through to a member no longer"
  case keysUpdated = "a link changes its keys"
  case renamed = "an instance is renamed on a conflict"
  case multicastLost = "the system takes the multicast port away"
}

extension NetworkHost {
  /// Takes in that something rare has happened; real networks take nothing in.
  func reached(_ event: RareEvent) { reachable(event.rawValue) }

  /// Takes in that something rare has happened, if it has.
  func reached(_ event: RareEvent, if isSo: @autoclosure () -> Bool) {
    if instrumentation != nil && isSo() { reached(event) }
  }
}
