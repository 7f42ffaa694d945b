import EarshotCore
import Foundation

extension PeerCore {
  func invite(
    _ peer: PeerID, to session: SessionCore, context: [UInt8], timeout: Duration,
    with ticket: PeerTicket?
  ) async throws(EarshotError) -> InvitationOutcome {
    try checkRunning()
    attend()
    try Checked.context(context)
    try checkOpen(session)
    let (serviceType, endpoints) = try target(peer, ticket)
    let found = ticket == nil ? discovered(peer)?.peer.name : nil
    let deadline = host.now + timeout
    let isTrusted = await isTrusted(peer, named: found, into: session.id, until: deadline)
    guard isOpen(session), !Task.isCancelled else { return .cancelled }
    guard let isTrusted, host.now < deadline || timeout <= .zero else { return .timedOut }
    guard isTrusted else {
      throw EarshotError(
        .untrustedPeer, "\(name) does not trust \(peer.short), and so does not invite it.",
        peers: [peer])
    }
    try checkRunning()
    return try await invitations.invite(
      peer, to: session, context: context, timeout: deadline - host.now, for: serviceType,
      at: endpoints)
  }

  private func target(
    _ peer: PeerID, _ ticket: PeerTicket?
  ) throws(EarshotError) -> (String, [Endpoint]) {
    if let ticket { return (ticket.serviceType, try dialable(of: ticket)) }
    guard let found = discovered(peer) else {
      throw EarshotError(
        .unknownPeer,
        "No browser of \(name) has found \(peer.short); browse for its service, or use a ticket of it.",
        peers: [peer])
    }
    return (found.serviceType, dialable(found.peer.endpoints))
  }

  /// Those of a ticket's endpoints that may be dialled: on loopback when this peer is there itself.
  ///
  /// Who has made a ticket is not known: one that leads to loopback alone would have this host dial its own services.
  private func dialable(of ticket: PeerTicket) throws(EarshotError) -> [Endpoint] {
    let endpoints = dialable(ticket.endpoints)
    let isOnLoopback =
      !ticket.endpoints.isEmpty && ticket.endpoints.allSatisfy(\.address.unmapped.isLoopback)
    guard endpoints.isEmpty, isOnLoopback else { return endpoints }
    throw EarshotError(
      .invalidTicket,
      "The ticket leads to this host's own loopback addresses, and \(name) uses no loopback interface.",
      peers: [ticket.peer])
  }

  func accept(
    _ invitation: Invitation, into session: Session?
  ) async throws(EarshotError) -> Session {
    try await invitations.accept(invitation, into: session)
  }

  func decline(_ id: InvitationTable.InboundID, _ reason: DeclineReason?) {
    invitations.assumeIsolated { $0.decline(id, reason) }
  }

  /// Where the peer can be reached from other hosts.
  ///
  /// An address that holds on one link only, or on this host, is named when there is no other.
  func ticket(
    for serviceType: String, validFor time: Duration?
  ) throws(EarshotError) -> PeerTicket {
    try checkRunning()
    let addresses = host.interfaces.flatMap(\.addresses)
    let reachable = addresses.filter { !$0.isLinkLocal && !$0.isLoopback }
    let endpoints = (reachable.isEmpty ? addresses : reachable).map { Endpoint($0, port: port) }
    let expiry = time.map { Date(timeIntervalSinceNow: Double($0.nanoseconds) / 1e9) }
    return try PeerTicket(
      peer: id, serviceType: serviceType, endpoints: endpoints, expiry: expiry)
  }
}
