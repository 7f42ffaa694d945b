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
  /// Invitations that are not taken wait, up to some twenty: those that have ended make room for others.
  public nonisolated var invitations: EventStream<Invitation> { EventStream(hub, of: self) }

  /// What the application says about itself; every host nearby can read it.
  ///
  /// `nil` for nothing at all, which is not the same as no keys.
  public var info: [String: String]? { text?.dictionary }

  private nonisolated let hub: EventHub<Invitation>
  nonisolated let peer: Peer
  private(set) var text: DiscoveryInfo?
  private var advertisement: MulticastDNS.AdvertisementID?

  init(
    serviceType: String, info: DiscoveryInfo?, advertisement: MulticastDNS.AdvertisementID,
    peer: Peer
  ) {
    unownedExecutor = peer.unownedExecutor
    self.serviceType = serviceType
    text = info
    self.advertisement = advertisement
    self.peer = peer
    hub = EventHub(countMax: Self.invitationsMax) { $0.filter { $0.ending == nil } }
  }

  deinit {
    if let advertisement { peer.core.released(.advertiser(advertisement)) }
  }

  /// Replaces the info; browsers see it as an update.
  ///
  /// - Parameter info: Keys of printable ASCII without `=`, none of which begins with an underscore; 1,300 bytes in
  ///   all. `nil` says nothing.
  /// - Throws: `invalidDiscoveryInfo`, with the rule that is broken; `stopped`.
  public func update(info: [String: String]?) throws(EarshotError) {
    guard let advertisement else {
      throw EarshotError(.stopped, "This advertiser was stopped; advertise anew.")
    }
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
    peer.core.assumeIsolated { $0.withdraw(advertisement) }
  }

  nonisolated func offer(_ invitation: Invitation) { hub.push(invitation) }

  private static let invitationsMax = 8  // As many as a peer has open.
}
