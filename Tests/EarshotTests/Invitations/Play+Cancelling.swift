import Earshot
import EarshotCore
import EarshotSimulator
import Testing

extension Play.Cancellation {
  /// An instant at or between the arrivals of frames, which take 20 ms each, or while none arrives.
  init(using random: inout RandomStream) {
    isCut = random.below(4) == 0
    let steps = Int64(random.below(isCut ? 800 : 25))
    after = random.below(16) == 0 ? nil : .milliseconds(5 * steps)
    let earliest = Int64(random.below(2) == 0 ? 0 : 8)
    let latest = after == nil ? 0 : steps
    second = .milliseconds(5 * (Int64(random.below(UInt64(latest + earliest + 1))) - earliest))
  }
}

extension Play.Step {
  /// Whether it waits for an event that may never come.
  var mayNeverEnd: Bool {
    switch self {
    case .waitForEnding, .nextEvent, .nextInvitation, .nextFound, .nextMessage, .nextPeerEvent,
      .nextVerification, .waitForVerification, .confirm, .confirmToAnn, .sendWithoutRoom:
      true
    default: false
    }
  }

  /// Whether it is about a verification that has begun.
  var needsVerification: Bool {
    switch self {
    case .confirm, .reject, .withdrawVerification, .waitForVerification, .confirmToAnn: true
    default: false
    }
  }

  /// Whether it ends a session or a peer, so that it does not return as soon as it is cancelled.
  fileprivate var isFarewell: Bool {
    switch self {
    case .leaveOwn, .leaveShared, .leaveInviting, .leaveSharedWithAnn, .stop, .stopInviter, .visit:
      true
    default: false
    }
  }

  /// Whether it may throw or return `cancelled`, or throw `CancellationError`.
  fileprivate var knowsCancelling: Bool {
    switch self {
    case .accept, .acceptIntoOwn, .acceptIntoShared, .invite, .inviteToShared, .inviteByTicket,
      .inviteAgain, .send, .sendToAnn, .sendWithoutRoom, .waitForDelivery, .verify, .verifyAnn,
      .visit:
      true
    default: false
    }
  }

  /// Whether it ends invitations, so that other calls return `cancelled`.
  fileprivate var endsInvitations: Bool {
    switch self {
    case .leaveOwn, .leaveShared, .leaveInviting, .leaveSharedWithAnn, .stop, .stopInviter,
      .withdraw:
      true
    default: false
    }
  }

  /// Whether Ann invites Bob by it.
  fileprivate var invitesBob: Bool {
    switch self {
    case .invite, .inviteToShared, .inviteByTicket: true
    default: false
    }
  }

  /// Whether Bob may be in a session of Ann's by it, besides the shared one.
  fileprivate var mayJoin: Bool {
    switch self {
    case .accept, .acceptIntoOwn, .acceptIntoShared, .acceptAutomatically: true
    default: false
    }
  }

  /// Whether it leaves the shared session, its links and its verifications as they are.
  fileprivate var leavesSharedAlone: Bool {
    switch self {
    case .decline, .waitForEnding, .leaveOwn, .send, .nextEvent, .members, .makeSession, .invite,
      .inviteToShared, .resume, .advertise, .browse, .update, .rename, .stopAdvertising,
      .nextInvitation, .stopBrowsing, .nextFound, .withdraw, .inviteAgain, .leaveInviting,
      .inviteByTicket, .ticket, .sendUnreliably, .trySend, .waitForDelivery, .nextMessage,
      .statistics, .trust, .nextPeerEvent, .visit, .sendToAnn, .waitForVerification, .accept,
      .acceptIntoOwn, .acceptAutomatically, .nextVerification:
      true
    default: false
    }
  }
}

extension Play {
  /// Starts both calls, cancels the first one, and examines what that does at once.
  func perform(_ cast: Cast, _ cancellation: Cancellation) async throws {
    let scene = cast.scene
    let cut = cancellation.isCut ? scene.world.partition(scene.hosts.map { [$0] }) : nil
    let (after, lag) = (cancellation.after ?? .zero, cancellation.second)
    if lag < .zero {
      start(second, cast)
      try await scene.sleep(.zero - lag)
    }
    let call = start(first, cast)
    if cancellation.after == nil { call.cancel() }
    if lag >= .zero {
      try await scene.sleep(lag)
      start(second, cast)
    }
    try await scene.sleep(after - max(lag, .zero))
    call.cancel()
    try await scene.milliseconds(1)
    if !first.isFarewell, first != .sleepOfHost, second != .sleepOfHost {
      #expect(call.duration.map { $0 <= after } ?? false, "\(call) in \(self)")
    }
    if call.result == "cancelled", first.invitesBob, !second.invitesBob {
      let left = await scene.ann.leftovers
      #expect(!left.contains("invitation of \(scene.bob.id.short)"), "\(self)")
    }
    if let cut {
      try await scene.sleep(.seconds(3))
      cut.end()
    }
  }

  /// Examines in the end what the documentation promises of cancelled calls.
  func examineCancelled(_ cast: Cast) async {
    let scene = cast.scene
    for call in scene.ended where ["cancelled", "CancellationError()"].contains(call.result) {
      // Of two calls that wait for one thing, only the cancelled one returns that.
      let isFirst = call.what == "\(first)" || call.what == "waits: \(first)"
      let mayBe = isFirst ? first.knowsCancelling : first.endsInvitations || second.endsInvitations
      #expect(mayBe, "\(call) in \(self)")
    }
    guard let end = scene.ended.first(where: { $0.what.hasSuffix("\(first)") })?.result,
      end == "cancelled" || end == "nothing"
    else { return }
    switch first {
    case .accept, .acceptIntoOwn, .acceptIntoShared:
      if !second.mayJoin {
        #expect(await cast.inviter.members.isEmpty, "\(self)")
        #expect(cast.invitation.ending != .accepted, "\(self)")
      }
    case .waitForDelivery where second.leavesSharedAlone:
      let statistics = await cast.shared.statistics(of: scene.bob.id)
      #expect(statistics?.messagesSent ?? 0 > 0, "\(self)")
      #expect(statistics?.messagesUnacknowledged == 0, "\(self)")
    case .verify where second.leavesSharedAlone && cast.verification == nil:
      #expect(cast.asked.verifications.allSatisfy { $0.ending != nil }, "\(self)")
    case .confirm where second.leavesSharedAlone && cast.verification?.ending == nil:
      let asked = cast.asked.verifications.first
      await asked?.confirm()
      try? await scene.sleep(.seconds(1))
      #expect([cast.verification, asked].map { $0?.ending } == [.verified, .verified], "\(self)")
    default: break
    }
  }
}
