extension Session {
  /// Has this peer and a member agree on a code, for their people to compare.
  ///
  /// The member's program gets the same from its ``verifications``. Calls at once, and a call while a code is being compared,
  /// get the same verification; when all of them are cancelled before there is a code, the member is told.
  ///
  /// - Parameter member: A member that is linked now.
  /// - Returns: The verification, with its code.
  /// - Throws: `notConnected` if the peer is no member, or is out of reach; `verificationFailed` with the reason: the
  ///   member's program compares no codes, does not answer within ten seconds, or has had enough, or the link broke; or
  ///   three verifications have failed within ten minutes, of this member or of peers at its address (for IPv6: in its
  ///   /64); `cancelled`; `sessionEnded`.
  public func verify(_ member: PeerID) async throws(EarshotError) -> Verification {
    defer { withExtendedLifetime(self) {} }
    guard !core.directory.isEnded else {
      throw EarshotError(.sessionEnded, "The session was left.")
    }
    guard let verifier = verifier(of: member) else {
      throw EarshotError(.notConnected, "\(member.short) is no member.", peers: [member])
    }
    return try await verifier.verify()
  }

  private func verifier(of member: PeerID) -> Verifier? {
    core.assumeIsolated { core in
      core.memberships[member].flatMap {
        $0.assumeIsolated { $0.hasJoined } ? $0.parts.verifier : nil
      }
    }
  }

  /// The verifications that members begin; ends after ``stop(within:)``.
  ///
  /// A session whose program has never asked for this compares no codes, and says so to members that want to.
  /// Each loop gets every verification that comes while it runs. A verification waits for the first loop; of those that
  /// wait, the last sixteen count.
  public nonisolated var verifications: EventStream<Verification> {
    core.beginVerifying()
    return EventStream(core.verifications, of: self)
  }

  /// How well the link to a member is protected, or `nil` if there is none.
  public func security(of member: PeerID) -> MemberSecurity? {
    core.assumeIsolated { core in
      core.memberships[member]?.parts.verifier.assumeIsolated { $0.security }
    }
  }
}
