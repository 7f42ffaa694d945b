import EarshotCore

/// Makes a peer visible to browsers, and receives invitations.
///
/// Comes from ``Peer/advertise(_:info:)``. Invitations that were received are still good after ``stop()``.
/// An advertiser that is released stops, and invitations that were not taken from it are declined; a loop over its
/// ``invitations`` holds it.
public actor Advertiser {
  /// Runs where its peer's host runs.
  public nonisolated let unownedExecutor: UnownedSerialExecutor
  /// The kind of service, such as `chat`.
  public nonisolated let serviceType: String
  /// The invitations that this peer receives for the service; ends when the advertiser is stopped.
  ///
  /// Invitations that are not taken wait, and those that have ended make room for others. No more are open at once
  /// than the peer's configuration allows. To answer invitations concurrently, accept each one in
  /// its own task, such as one of ``Peer/addTask(_:_:)``, or use ``acceptInvitations(into:where:)``.
  public nonisolated var invitations: EventStream<Invitation> { EventStream(hub, of: self) }

  /// The info that the application gives about itself; every host nearby can read it.
  ///
  /// `nil` for nothing at all, which is not the same as no keys.
  public var info: [String: String]? { text?.dictionary }

  private nonisolated let hub: EventHub<Invitation>
  nonisolated let peer: Peer
  private(set) var text: DiscoveryInfo?
  private var advertisement: MulticastDNS.AdvertisementID?
  private var policy: Policy?

  /// The invitations that are accepted without a question.
  private struct Policy {
    let isWelcome: @Sendable (Invitation) -> Bool
    let session: SessionCore
  }

  init(
    serviceType: String, info: DiscoveryInfo?, advertisement: MulticastDNS.AdvertisementID,
    peer: Peer
  ) {
    unownedExecutor = peer.unownedExecutor
    self.serviceType = serviceType
    text = info
    self.advertisement = advertisement
    self.peer = peer
    hub = EventHub(countMax: peer.core.configuration.maximumOpenInvitations) {
      $0.filter { $0.ending == nil }
    }
  }

  deinit {
    if let advertisement { peer.core.released(.advertiser(advertisement, serviceType)) }
  }

  /// Replaces the info; browsers see it as an update.
  ///
  /// Of several within a second the last one is announced. More than ten announcements a minute wait, while whoever asks is
  /// answered with the new info.
  ///
  /// - Parameter info: Keys of printable ASCII without `=`, none of which begins with an underscore; 1,300 bytes in
  ///   all. `nil` says nothing.
  /// - Throws: `invalidDiscoveryInfo`, with the rule that is broken; `stopped`.
  public func update(info: [String: String]?) throws(EarshotError) {
    guard let advertisement else { throw Self.stopped }
    let checked = try Checked.info(info)
    text = checked
    peer.core.discovery.assumeIsolated { $0.update(advertisement, info: checked) }
  }

  /// Says goodbye to browsers and takes no more invitations.
  ///
  /// Stopping twice changes nothing.
  public func stop() {
    guard let advertisement else { return }
    self.advertisement = nil
    hub.finish()
    peer.core.assumeIsolated { $0.withdraw(advertisement, of: serviceType) }
  }

  /// Accepts invitations that the program welcomes, as they come, until the session is left.
  ///
  /// They do not appear in ``invitations``, and none waits for another: the session's events tell who is joining and
  /// who has joined. One for which the session has no place is declined as `full`. All other invitations, and those
  /// that came before, stand in ``invitations`` as without a policy; so do all once the session is left. A later call
  /// takes the place of an earlier one.
  ///
  /// - Parameters:
  ///   - session: A session of this peer, which is not held by this: it ends when it is released.
  ///   - isWelcome: Whether an invitation is to be accepted; called once for each as it comes, where the peer's host
  ///     runs, so it must not wait. By default all are welcome.
  /// - Throws: `sessionEnded` if that is no open session of this peer; `stopped`.
  public func acceptInvitations(
    into session: Session,
    where isWelcome: @escaping @Sendable (Invitation) -> Bool = { _ in true }
  ) throws(EarshotError) {
    guard advertisement != nil else { throw Self.stopped }
    let core = session.core
    try peer.core.isolated { peer throws(EarshotError) in try peer.checkOpen(core) }
    policy = Policy(isWelcome: isWelcome, session: core)
  }

  /// The session that is to accept an invitation unasked, if there is one.
  func session(for invitation: Invitation) -> SessionCore? {
    guard let policy else { return nil }
    guard policy.session.assumeIsolated({ $0.phase == .open }) else {
      self.policy = nil
      return nil
    }
    return policy.isWelcome(invitation) ? policy.session : nil
  }

  /// Has the program answer an invitation.
  nonisolated func offer(_ invitation: Invitation) { hub.push(invitation) }

  private static let stopped = EarshotError(
    .stopped, "This advertiser was stopped; advertise anew.")
}
