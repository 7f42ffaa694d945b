import Earshot
import EarshotCore
import EarshotNetwork
import EarshotTLS
import Synchronization

/// Somebody who accepts the invitation of a peer that dials, then wishes for one verification after the other, and ends
/// each as soon as it can know the code.
final class ScriptedListener: ListenerHandler, ConnectionHandler {
  private struct State {
    var channel: SecureChannel
    var decoder = FrameDecoder()
    var nonceCount = 0
  }
  private let state: Mutex<State>
  private let membership: MembershipID
  private let end: VerificationVerdict.Verdict

  /// Listens as an identity to a peer, and ends verifications so.
  init(as identity: Identity, to peer: PeerID, ending end: VerificationVerdict.Verdict) {
    state = Mutex(State(channel: .plain(PlainChannel(identity.id, expecting: nil))))
    membership = MembershipID.none.next(bySmaller: identity.id < peer)
    self.end = end
  }

  /// How many nonces came, each of which tells the code.
  var nonceCount: Int { state.withLock { $0.nonceCount } }

  /// Answers one frame.
  private func answer(_ frame: Frame, _ state: inout State, into reply: inout [UInt8]) {
    switch frame {
    case .link(.hello): Hello(port: 0, displayName: "Mallory").encode(into: &reply)
    case .invitation(.invite(let invite)):
      Accept(
        invitation: invite.invitation, session: SessionID(rawValue: 0xA001), membership: membership,
        nextSeniority: 1, window: 1 << 20,
        terms: SessionTerms(seniority: 0, capacity: 8, messageBytesMax: 1_024)
      ).encode(into: &reply)
    case .attachment(.attached): VerificationRequest(attempt: 1).encode(into: &reply)
    case .verification(.request(let request)):
      let hash = [UInt8](repeating: 7, count: 32)
      VerificationCommitment(attempt: request.attempt, hash: hash).encode(into: &reply)
    case .verification(.nonce(let nonce)):
      state.nonceCount += 1
      VerificationVerdict(attempt: nonce.attempt, verdict: end).encode(into: &reply)
      VerificationRequest(attempt: nonce.attempt + 1).encode(into: &reply)
    default: break
    }
  }

  func listener(
    _ listener: any Listener, accepted connection: any Connection
  ) -> (any ConnectionHandler)? {
    self
  }

  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    var (wire, plaintext, reply) = ([UInt8](), [UInt8](), [UInt8]())
    state.withLock { state in
      if !state.channel.isReady { state.channel.start(into: &wire) }
      try? state.channel.receive(bytes, into: &wire) { plaintext.append(copying: $0) }
      var heard: [Frame] = []
      _ = try? state.decoder.decode(plaintext.span) { type, payload, _ throws(FrameError) in
        if let frame = try Frame(type, payload: payload) { heard.append(frame) }
        return true
      }
      for frame in heard { answer(frame, &state, into: &reply) }
      if !reply.isEmpty { state.channel.seal(&reply, into: &wire) }
    }
    if !wire.isEmpty { _ = try? connection.write(wire.span) }
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {}
  func connectionOpened(_ connection: any Connection) {}
  func connectionReceivedEnd(_ connection: any Connection) { connection.close() }
  func connectionBecameWritable(_ connection: any Connection) {}
  func connection(_ connection: any Connection, failed error: NetworkError) {}
}
