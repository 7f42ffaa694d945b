public import Earshot
import BenchmarkKit
import EarshotPOSIX

/// A peer of a benchmark, which talks over the loopback interface and over no other.
public struct LoopbackPeer: Sendable {
  /// Where a benchmark's own code runs.
  public enum Place: String, Sendable {
    /// In the default pool of threads.
    case pool
    /// On the network's event loop.
    case loop
  }

  /// The sockets.
  public let host: any NetworkHost
  /// Ourselves.
  public let peer: Peer
  private let sockets: POSIXHost

  /// A peer with an event loop of its own.
  public init(_ name: String) async throws {
    let sockets = try POSIXHost(.loopback)
    peer = try await withTaskExecutorPreference(sockets.executor.task) {
      try await Peer(name, trusting: .anyPeer, on: sockets)
    }
    (self.sockets, host) = (sockets, sockets)
  }

  /// Runs code where it was asked for.
  public func run<Result: Sendable>(
    _ place: Place, _ body: @Sendable @escaping () async throws -> Result
  ) async throws -> Result {
    switch place {
    case .loop: try await Task(executorPreference: host.executor.task) { try await body() }.value
    case .pool: try await Task.detached { try await body() }.value
    }
  }

  /// Advertises a service, and accepts the first invitation.
  public func host(
    _ serviceType: String, _ configuration: Session.Configuration = patient
  ) async throws -> Session {
    let advertiser = try await peer.advertise(serviceType)
    for await invitation in advertiser.invitations {
      let session = try await invitation.accept(into: peer.makeSession(configuration))
      await advertiser.stop()
      return session
    }
    fail("the advertiser was stopped")
  }

  /// Finds so many peers of a service and has them accept an invitation to one session.
  public func gather(_ count: Int, _ serviceType: String) async throws -> Session {
    let browser = try await peer.browse(serviceType)
    let session = try await peer.makeSession(Self.patient)
    var found = 0
    for await event in browser.events {
      guard case .found(let other) = event else { continue }
      let outcome = try await peer.invite(other.id, to: session)
      require(outcome == .accepted, "\(other.name): \(outcome)")
      found += 1
      if found == count { break }
    }
    await browser.stop()
    return session
  }

  /// Waits for a member that stands still for a minute.
  public static let patient = Session.Configuration(patience: .seconds(120))

  /// Ends the peer, then its network.
  public func stop() async {
    await peer.stop()
    await sockets.shutDown()
  }
}
