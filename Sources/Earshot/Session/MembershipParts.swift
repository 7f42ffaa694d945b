import EarshotCore

/// A part of a membership that follows the link which carries the membership.
///
/// All of it is called on the host's executor.
protocol MembershipPart: AnyObject, Sendable {
  /// Continues over a link, in place of an earlier one.
  func attach(to link: Link)
  /// Waits for the next link; changes nothing if another link carries the membership already.
  func detach(from link: Link)
  /// Ends for good.
  func end()
}

/// The parts of a membership that follow its link.
///
/// The one place where they are attached, detached and ended. The membership keeps them across its
/// links. The link that carries it knows each by its name, and hands it the frames of its kind.
struct MembershipParts: Sendable {
  let reliable: ReliableChannel
  let unreliable: UnreliableChannel
  let verifier: Verifier

  /// The only list of them, in the order in which they are attached, detached and ended.
  private func forEach(_ body: (any MembershipPart) -> Void) {
    body(reliable)
    body(unreliable)
    body(verifier)
  }

  /// The parts from which messages come, whose room consumers give back.
  var sources: [any MessageSource] { [reliable, unreliable] }

  /// The parts that are actors.
  var inside: [any Actor] { [unreliable, verifier] }

  /// Continues over a link, which carries the membership from now on.
  ///
  /// - Parameters:
  ///   - link: The link.
  ///   - position: The position that the remote peer has stated.
  /// - Throws: An error if the position contradicts an earlier one, or what was sent; nothing is
  ///   attached then.
  func attach(to link: Link, at position: SidePosition) throws(FrameError) {
    try reliable.resume(at: position)
    link.assumeIsolated { $0.carry(self) }
    forEach { $0.attach(to: link) }
  }

  /// Waits for the next link, since one is gone.
  func detach(from link: Link) { forEach { $0.detach(from: link) } }

  /// Takes nothing new, and sends LEAVE after everything that was sent before.
  ///
  /// - Parameters:
  ///   - leave: The farewell.
  ///   - flushed: Called once, when everything that was sent has arrived.
  func leave(_ leave: Leave, whenFlushed flushed: @escaping @Sendable () -> Void) {
    verifier.assumeIsolated { $0.leave() }
    reliable.close(leave, whenFlushed: flushed)
  }

  /// Ends all of them for good.
  func end() { forEach { $0.end() } }
}
