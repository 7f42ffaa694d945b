import EarshotCore
import EarshotNetwork
import Synchronization

/// The resources of one session: those that members offer, and the files that are being sent.
final class ResourceRegistry: Sendable {
  /// A file that is being sent to a member: offered again meanwhile, it is one transfer.
  struct Shipment: Hashable, Sendable {
    let peer: PeerID
    let label: String
    let file: FileAttributes
  }
  private struct State {
    var random: RandomStream
    var inboundCounts: [PeerID: Int] = [:]
    var shipments: [Shipment: Transfer] = [:]
  }
  /// The offers, for the program.
  let offers = EventHub<ResourceOffer>(countMax: offersMax)
  private let policy: ResourcePolicy
  private let host: any NetworkHost
  private let state: Mutex<State>

  init(of session: SessionID, policy: ResourcePolicy, on host: any NetworkHost) {
    (self.policy, self.host) = (policy, host)
    state = Mutex(State(random: host.random("resources of \(session)")))
  }

  /// A random number.
  func nextNumber() -> UInt64 { state.withLock { $0.random.next() } }

  /// A number for a transfer, in every session of every peer.
  func nextToken() -> [UInt8] { state.withLock { $0.random.bytes(ResourceFrame.tokenBytes) } }

  // MARK: Receiving

  /// Takes in a stream on which a member offers a resource.
  func receive(_ stream: ByteStream) {
    let isTaken = state.withLock { state in
      guard state.inboundCounts[stream.peer, default: 0] < Self.inboundMax else { return false }
      state.inboundCounts[stream.peer, default: 0] += 1
      return true
    }
    guard isTaken, stream.isWritable else {
      return stream.reset(
        code: (isTaken ? ResourceFailure.violation : ResourceFailure.tooMany).rawValue)
    }
    let inbound = InboundResource(stream, in: self)
    Task(executorPreference: host.executor.task) { await inbound.run() }
  }

  /// Has an offer answered: by the policy, or by the program.
  func offered(_ offer: ResourceOffer, _ description: ResourceDescription) {
    guard let folder = policy.folder(for: description, from: offer.sender) else {
      return offers.push(offer)
    }
    Task(executorPreference: host.executor.task) { [offers] in
      // What the policy cannot carry out is the program's to answer.
      _ = try? await offer.accept(into: folder)
      offers.push(offer)
    }
  }

  /// A transfer from a member has ended.
  func ended(from sender: PeerID) {
    state.withLock { state in
      let count = state.inboundCounts[sender, default: 0] - 1
      state.inboundCounts[sender] = count > 0 ? count : nil
    }
  }

  // MARK: Sending

  /// A handle of the transfer of a file: of the one that is under way, or of a new one.
  ///
  /// - Returns: The handle; `nil` if it is of the new one, which is under way from now on.
  func share(_ shipment: Shipment, orBegin transfer: Transfer) -> ResourceTransfer? {
    state.withLock { state in
      if let handle = state.shipments[shipment]?.share() { return handle }
      state.shipments[shipment] = transfer
      return nil
    }
  }

  /// A file is no longer being sent.
  func ended(_ shipment: Shipment, _ transfer: Transfer) {
    state.withLock { state in
      if state.shipments[shipment] === transfer { state.shipments[shipment] = nil }
    }
  }

  /// The most unfinished resources of one member.
  static let inboundMax = 64
  private static let offersMax = 4_096
}
