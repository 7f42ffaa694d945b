import Earshot
import Foundation

/// Files for peers nearby: one is picked, a file is offered, and the other side takes it or not.
///
/// Peers are connected when something is sent, without a question: the question is about the file.
/// A link that breaks, or an app that is suspended, costs a transfer time and nothing else.
public actor Drop {
  /// The local participant.
  public nonisolated let peer: Peer
  /// The peers nearby: now, and after each change.
  public nonisolated var nearby: SnapshotStream<[DiscoveredPeer]> { browser.snapshots }
  /// The files that others offer; each is to be accepted into a folder, or declined.
  public nonisolated var offers: EventStream<ResourceOffer> { session.resources }

  private nonisolated let session: Session
  private nonisolated let browser: Browser
  private nonisolated let advertiser: Advertiser

  /// The invited peer did not join.
  public struct NotConnected: Error {
    /// The answer to its invitation.
    public let outcome: InvitationOutcome
  }

  /// Becomes visible to others.
  public init(
    _ name: String, on host: any NetworkHost, patience: Duration = .seconds(30)
  ) async throws {
    peer = try await Peer(name, trusting: .anyPeer, on: host)
    session = try await peer.makeSession(.init(patience: patience))
    advertiser = try await peer.advertise("drop")
    browser = try await peer.browse("drop")
    try await advertiser.acceptInvitations(into: session)
  }

  /// Offers a file to a peer nearby.
  ///
  /// - Returns: The transfer, with its progress; ``ResourceTransfer/cancel()`` takes it back.
  public func send(_ file: URL, to id: PeerID) async throws -> ResourceTransfer {
    if await !session.members.contains(where: { $0.id == id }) {
      let outcome = try await peer.invite(id, to: session)
      guard outcome == .accepted else { throw NotConnected(outcome: outcome) }
    }
    return try await session.sendResource(at: file, to: id)
  }

  /// The name of a member, as far as it is known.
  public func name(of id: PeerID) async -> String {
    await session.members.first { $0.id == id }?.name ?? id.short
  }

  /// To be called when the app is about to be suspended: the others know that it will be back.
  public func suspend() async { await peer.suspend() }

  /// To be called when the app is in the foreground again.
  public func resume() async throws { try await peer.resume() }

  /// Leaves; transfers that go on are cancelled.
  public func stop() async { await peer.stop() }
}

extension ResourceProgress {
  /// How far the transfer is: `42 %, 8 s left`, or the reason why nothing moves.
  public var sentence: String {
    let part = fraction.map { "\(Int($0 * 100)) %" } ?? "\(completedBytes) bytes"
    switch standstill {
    case .linkInterrupted: return "\(part), out of reach"
    case .unanswered: return "waiting for an answer"
    case .diskFull: return "\(part), the disk is full"
    case .paused, .pausedByRemote: return "\(part), paused"
    case nil: return timeLeft.map { "\(part), \($0.components.seconds + 1) s left" } ?? part
    }
  }
}
