import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Synchronization

/// A state of the peers in which calls of Ann's throw.
enum Situation: String, Sendable {
  case ordinary, suspended, stopped
  /// Links are encrypted.
  case secured
  /// Ann has left her sessions.
  case sessionsLeft
  /// Another program of Ann's host holds the port of discovery; she does not use it, or lost it.
  case discoveryPortTaken, discoveryPortLost
  /// Ann has as many browsers as a peer may have.
  case manyBrowsers
  /// The place in Ann's own session is taken.
  case sessionFull
  /// Bob sleeps, and Ann's send buffer for him is full.
  case bufferFull
  /// Ann's store keeps no changes.
  case storeBroken
  /// Ann is suspended, and her host has no network.
  case networkGone
  /// Ann distrusts Cy.
  case distrusted
  /// Ann's program is asked about peers that are new to it.
  case asking
  /// Three verifications with Bob have failed.
  case verificationsFailed
  /// Bob's program compares no codes.
  case unattended
  /// Ann has declined Bob's invitation, or accepted it.
  case declined, accepted
  /// Ann has left the first session.
  case sharedLeft
  /// Bob has left the first session.
  case bobLeft
  /// Nothing of Ann's reaches Bob.
  case cut

  /// Ann's rule of trust.
  func policy(_ store: FrailStore, _ host: any NetworkHost, _ book: Notebook) -> TrustPolicy {
    guard self == .asking else { return .onFirstUse(keptIn: store) }
    return .approved(keptIn: store) { request in
      if request.name == "Bob" || request.name == "Cy" { return true }
      book.note("Ann is asked about \(request.peer.short)", .begins("a question"))
      try? await host.sleep(for: .milliseconds(30))
      book.note("Ann is no longer asked about \(request.peer.short)", .ends("a question"))
      return false
    }
  }
}

extension Cast {
  /// Brings the state about.
  func enter(_ situation: Situation) async throws {
    switch situation {
    case .ordinary, .secured, .asking, .unattended: break
    case .suspended: await ann.suspend()
    case .stopped: await ann.stop()
    case .sessionsLeft: for session in [shared[0], own, fresh] { await session.stop() }
    case .sharedLeft: await shared[0].stop()
    case .discoveryPortTaken:
      await room.stop()
      await browsers[0].stop()
      try takeDiscoveryPort()
    case .discoveryPortLost:
      await ann.suspend()
      try takeDiscoveryPort()
      try await ann.resume()
    case .manyBrowsers:
      var number = 0
      while let browser = try? await ann.browse("kind-\(number)") {
        surplus.withLock { $0 = browser }
        keep(browser)
        number += 1
      }
    case .sessionFull: _ = try await ann.invite(cy.id, to: own)
    case .bufferFull:
      await bob.suspend()
      while let sent = try? shared[0].trySend(Self.large, to: [bob.id]) {
        receipt.withLock { $0 = sent }
      }
      while try streams.open.tryWrite(Self.large) > 0 {}
    case .storeBroken: store.isBroken = true
    case .networkGone:
      await ann.suspend()
      host.isWithoutNetwork = true
    case .distrusted: try await ann.distrust(cy.id)
    case .verificationsFailed:
      for _ in 0..<3 {
        let verification = try await shared[0].verify(bob.id)
        await compared.last?.withdraw()
        _ = await verification.waitForEnd()
      }
    case .declined: await invitation.decline()
    case .accepted: try await invitation.accept(into: fresh)
    case .bobLeft: await shared[1].stop()
    case .cut: world.cut(hosts[0], to: hosts[1])
    }
    try await sleep(.seconds(3))
  }

  /// Ends what can be ended of the state, so that it shows what else was changed.
  func leaveSituation() async {
    world.heal()
    (host.isWithoutNetwork, store.isBroken) = (false, false)
    freeDiscoveryPort()
    await surplus.withLock { $0.take() }?.stop()
    await bob.resumeIfPossible()
    await ann.resumeIfPossible()
    try? await sleep(.seconds(15))
  }

  private func takeDiscoveryPort() throws {
    let socket = try hosts[0].openDatagramSocket(
      on: Endpoint(.anyV4, port: 5353), options: DatagramOptions(), handler: SilentHandler())
    discoverySocket.withLock { $0 = socket }
  }

  private func freeDiscoveryPort() { discoverySocket.withLock { $0.take() }?.close() }

  static let large = [UInt8](repeating: UInt8(ascii: "a"), count: 60_000)
}

extension Peer {
  fileprivate func resumeIfPossible() async { try? await resume() }
}
