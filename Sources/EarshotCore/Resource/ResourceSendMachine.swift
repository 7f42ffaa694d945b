/// The sender's side of a transfer: what the receiver may say of it, and when.
///
/// ```
/// offered ──ACCEPT──▶ sending ──ended()──▶ ended ──DONE──▶ over
///    └──────DECLINE──────────────────────────────────────▶ over
/// ```
package struct ResourceSendMachine: Hashable, Sendable {
  /// What the receiver says.
  package enum Event: Hashable, Sendable {
    /// It takes the resource, and has nothing of it.
    case accepted
    /// It does not take the resource, for a reason of its program.
    case declined(reason: String)
    /// So many bytes in all are written.
    case written(Int64)
    /// It stands still, or goes on.
    case pause(ResourcePause)
    /// The resource is verified and in its place.
    case done
  }

  private enum State: Hashable { case offered, sending, ended, over }
  private var state = State.offered
  private var reader = ResourceFrameReader()
  private var sent: Int64 = 0
  private var written: Int64 = 0

  /// A transfer whose offer is on its way.
  package init() {}

  /// Whether the receiver has answered all.
  package var isOver: Bool { state == .over }

  /// Takes in that bytes of the resource are on their way.
  ///
  /// - Throws: `tooLarge` if there are more in all than a limit.
  package mutating func send(_ count: Int64, atMost limit: Int64) throws(ResourceFailure) {
    guard count <= limit - sent else { throw .tooLarge }
    sent += count
  }

  /// Takes in that the end of the resource is on its way.
  package mutating func end() { if state == .sending { state = .ended } }

  /// Takes in bytes of the stream.
  ///
  /// - Parameters:
  ///   - input: The bytes.
  ///   - events: Where to append what the receiver says.
  /// - Throws: `violation`; the transfer is over then.
  package mutating func receive(
    _ input: [UInt8], into events: inout [Event]
  ) throws(ResourceFailure) {
    var offset = 0
    while let part = try reader.part(of: input, at: &offset) {
      guard case .frame(let frame) = part else { throw .violation }
      try receive(frame, into: &events)
    }
  }

  private mutating func receive(
    _ frame: ResourceFrame, into events: inout [Event]
  ) throws(ResourceFailure) {
    switch (state, frame) {
    case (.offered, .accept(let pieces, _)):
      guard pieces == 0 else { throw .violation }
      state = .sending
      events.append(.accepted)
    case (.offered, .decline(let reason)):
      state = .over
      events.append(.declined(reason: reason))
    case (.sending, .written(let count)), (.ended, .written(let count)):
      guard written <= count, count <= sent else { throw .violation }
      written = count
      events.append(.written(count))
    case (.offered, .pause(let pause)), (.sending, .pause(let pause)), (.ended, .pause(let pause)):
      events.append(.pause(pause))
    case (.ended, .done):
      guard written == sent else { throw .violation }
      state = .over
      events.append(.done)
    case (.offered, _), (.sending, _), (.ended, _), (.over, _): throw .violation
    }
  }
}
