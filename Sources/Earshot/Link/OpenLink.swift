import EarshotCore

/// What a link has while it is open.
///
/// Apart from its phase, which every frame looks at: to copy it there costs one reference.
final class OpenLink {
  let transport: LinkTransport
  let remote: PeerID
  let liveness: MachineDriver<LivenessMachine>
  /// The parts of the membership that it carries, if it carries one.
  // Without the dynamic checks of exclusivity, which every frame would pay for: all accesses are instantaneous.
  @exclusivity(unchecked) var parts: MembershipParts?

  /// What the owner is told once the remote peer is trusted, if that is not known yet.
  @exclusivity(unchecked) var held: HeldGreeting?

  init(_ transport: LinkTransport, to remote: PeerID, _ liveness: MachineDriver<LivenessMachine>) {
    (self.transport, self.remote, self.liveness) = (transport, remote, liveness)
  }
}
