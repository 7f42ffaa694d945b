import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

// MARK: Inviting

extension RefusedCall {
  private static let overlong = [UInt8](repeating: 0, count: 16_385)

  /// Calls that invite Bob, by his identifier and by a ticket.
  private static func invitations(
    _ reason: String, _ code: EarshotError.Code, in situation: Situation = .ordinary,
    meanwhile: Meanwhile? = nil, exempt: [String] = [], context: [UInt8] = Cast.joining,
    to session: @escaping @Sendable (Cast) -> Session = { $0.own }
  ) -> [RefusedCall] {
    [
      RefusedCall(
        "Peer.invite", reason, code, in: situation, exempt: exempt, meanwhile: meanwhile
      ) { cast in
        try await cast.ann.invite(cast.bob.id, to: session(cast), context: context).orThrow()
      },
      RefusedCall(
        "Peer.invite", reason + ", by a ticket", code, in: situation, exempt: exempt,
        meanwhile: meanwhile
      ) { cast in
        let ticket = try await cast.bob.ticket(for: "room")
        return try await cast.ann.invite(ticket, to: session(cast), context: context).orThrow()
      },
    ]
  }

  static let inviting: [RefusedCall] = [
    invitations("a context of 16,385 bytes", .contextTooLarge, context: overlong),
    invitations("a session that was left", .sessionEnded, in: .sessionsLeft),
    invitations("a session of Bob's", .sessionEnded) { $0.bobs },
    invitations("a peer that is suspended", .suspended, in: .suspended),
    invitations("a peer that was stopped", .stopped, in: .stopped),
    invitations("an answer at once", .cancelled),
    invitations("no answer", .cancelled, context: Cast.waiting),
  ].flatMap { $0 }

  static let strangeInvitations: [RefusedCall] = [
    RefusedCall("Peer.invite", "a peer that nobody has found", .unknownPeer) { cast in
      try await cast.ann.invite(Cast.dora, to: cast.own)
    },
    RefusedCall("Peer.invite", "itself", .unknownPeer) { cast in
      try await cast.ann.invite(cast.ann.id, to: cast.own)
    },
    RefusedCall("Peer.invite", "itself, by a ticket", .unknownPeer) { cast in
      try await cast.ann.invite(try await cast.ann.ticket(for: "room"), to: cast.own)
    },
    RefusedCall("Peer.invite", "a ticket to loopback", .invalidTicket) { cast in
      try await cast.ann.invite(ticket(at: #require(IPAddress("127.0.0.1"))), to: cast.own)
    },
    RefusedCall("Peer.invite", "a peer that is not trusted", .untrustedPeer, in: .distrusted) {
      cast in
      try await cast.ann.invite(cast.cy.id, to: cast.own)
    },
    // The program's answer is remembered.
    RefusedCall(
      "Peer.invite", "the program's answer", .untrustedPeer, in: .asking,
      exempt: ["Ann's standing of Dora", "Ann is", "the trace"]
    ) { cast in
      try await cast.ann.invite(ticket(at: cast.hosts[1].address), to: cast.own)
    },
    RefusedCall("Peer.invite", "no answer of the program", .cancelled, in: .asking) { cast in
      try await cast.ann.invite(ticket(at: cast.hosts[1].address), to: cast.own).orThrow()
    },
  ]

  private static func ticket(at address: IPAddress) throws -> PeerTicket {
    try PeerTicket(
      peer: Cast.dora, serviceType: "room", endpoints: [Endpoint(address, port: 7)])
  }
}

extension InvitationOutcome {
  /// The outcome; a withdrawn invitation counts as a call that throws.
  fileprivate func orThrow() throws(EarshotError) -> InvitationOutcome {
    if self == .cancelled { throw EarshotError(.cancelled, "The invitation was withdrawn.") }
    return self
  }
}

// MARK: Accepting

extension RefusedCall {
  /// What an acceptance that is taken back may change: the invitation has ended.
  private static let ended = [
    "Ann's invitation", "the outcome of Bob's invitation", "Ann: invitation open",
  ]

  /// Calls that accept Bob's invitation, into a session of Ann's or a new one.
  private static func acceptances(
    _ reason: String, _ code: EarshotError.Code, in situation: Situation = .ordinary,
    meanwhile: Meanwhile? = nil, exempt: [String] = []
  ) -> [RefusedCall] {
    [
      RefusedCall(
        "Invitation.accept", reason, code, in: situation, exempt: exempt, meanwhile: meanwhile
      ) { cast in
        cast.keep(try await cast.invitation.accept())
      },
      RefusedCall(
        "Invitation.accept", reason + ", into a session", code, in: situation, exempt: exempt,
        meanwhile: meanwhile
      ) { cast in
        try await cast.invitation.accept(into: cast.fresh)
      },
    ]
  }

  static let accepting: [RefusedCall] = [
    acceptances("a peer that is suspended", .suspended, in: .suspended),
    acceptances("a peer that was stopped", .stopped, in: .stopped),
    acceptances("an invitation that was declined", .invitationEnded, in: .declined),
    acceptances("cancelled", .cancelled, exempt: ended),
    acceptances("stopped meanwhile", .stopped, meanwhile: .annStops, exempt: ended),
    acceptances(
      "withdrawn meanwhile", .invitationEnded, meanwhile: .bobLeavesInviter,
      exempt: ended),
  ].flatMap { $0 }

  static let strangeAcceptances: [RefusedCall] = [
    RefusedCall("Invitation.accept", "an accepted one", .invitationEnded, in: .accepted) { cast in
      try await cast.invitation.accept(into: cast.own)
    },
    // Declining it says so afterwards.
    RefusedCall(
      "Invitation.accept", "a full session", .sessionFull, in: .sessionFull,
      exempt: ["the outcome of Bob's invitation", "the trace"]
    ) { cast in
      try await cast.invitation.accept(into: cast.own)
    },
    RefusedCall(
      "Invitation.accept", "a session that was left", .sessionEnded, in: .sessionsLeft
    ) { cast in
      try await cast.invitation.accept(into: cast.own)
    },
    RefusedCall("Invitation.accept", "a session of Bob's", .sessionEnded) { cast in
      try await cast.invitation.accept(into: cast.bobs)
    },
    RefusedCall(
      "Invitation.accept", "a session that is left meanwhile", .sessionEnded, exempt: ended,
      meanwhile: .annLeavesFresh
    ) { cast in
      try await cast.invitation.accept(into: cast.fresh)
    },
  ]
}
