import Earshot
import EarshotCore
import EarshotNetwork
import EarshotTLS
import Synchronization

/// Hosts that dial one peer again and again, and behave badly each time.
final class Flood: Sendable {
  /// What a hostile host does with each of its connections.
  enum Conduct: String, CaseIterable, Sendable {
    case silent  // Says nothing.
    case slow  // Begins to say who it is, and never ends.
    case garbage  // Says something wrong.
    case fickle  // Goes away at once.
    case nameless  // Says who it is, and not hello.
    case speechless  // Says hello, and not what it wants.
    case unfinished  // Says hello, and begins to invite.
    case endless  // Says hello, and that four gigabytes follow.
    case pinging  // Says hello, and asks whether all is well instead of what it wants.
    case inviting  // Invites, as somebody else each time, and takes no answer.
    case attaching  // Asks to attach to a session that is not there.
  }

  private final class Connecting: ConnectionHandler {
    private let opening: [UInt8]
    private let isFickle: Bool

    init(saying opening: [UInt8], isFickle: Bool) {
      (self.opening, self.isFickle) = (opening, isFickle)
    }

    func connectionOpened(_ connection: any Connection) {
      let opening = opening
      if !opening.isEmpty { _ = try? connection.write(opening.span) }
      if isFickle { connection.reset() }
    }

    func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
    func connectionReceivedEnd(_ connection: any Connection) {}
    func connectionBecameWritable(_ connection: any Connection) {}
    func connection(_ connection: any Connection, failed error: NetworkError) {}
  }

  private struct State {
    var random: RandomStream
    var open: [any Connection] = []
    var timer: (any NetworkTimer)?
  }
  private let host: any NetworkHost
  private let target: Endpoint
  private let conduct: Conduct
  private let interval: Duration
  private let state: Mutex<State>

  /// One of the hosts, which dials so often until it is released.
  init(
    _ conduct: Conduct, from host: any NetworkHost, to target: Endpoint, every interval: Duration
  ) {
    (self.conduct, self.host, self.target) = (conduct, host, target)
    self.interval = interval
    state = Mutex(State(random: host.random("flood")))
    let timer = host.makeTimer { [weak self] in self?.dial() }
    let first = state.withLock { state in
      state.timer = timer
      return state.random.duration(below: interval)
    }
    timer.arm(at: host.now + first)
  }

  private func dial() {
    let (opening, timer, oldest) = state.withLock { state in
      let opening = Self.opening(conduct, &state.random)
      let oldest = state.open.count < Self.openMax ? nil : state.open.removeFirst()
      return (opening, state.timer, oldest)
    }
    oldest?.reset()
    let handler = Connecting(saying: opening, isFickle: conduct == .fickle)
    let connection = try? host.connect(to: target, options: ConnectionOptions(), handler: handler)
    if let connection { state.withLock { $0.open.append(connection) } }
    timer?.arm(at: host.now + interval)
  }

  private static func opening(_ conduct: Conduct, _ random: inout RandomStream) -> [UInt8] {
    var wire: [UInt8] = []
    let identity = Identity.plain(using: &random)
    let channel = PlainChannel(identity.id, expecting: nil)
    channel.start(into: &wire)
    let hello = Hello(port: 0, displayName: "Mallory")
    switch conduct {
    case .silent, .fickle: return []
    case .slow: return Array(wire.dropLast())
    case .garbage: return (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
    case .nameless: break
    case .speechless: hello.encode(into: &wire)
    case .endless:
      hello.encode(into: &wire)
      wire += [0x04, 0xC0, 0, 0, 1, 0, 0, 0, 0]
    case .pinging:
      hello.encode(into: &wire)
      for token in UInt64(0)..<100 { Ping(token: token).encode(into: &wire) }
    case .inviting, .unfinished:
      hello.encode(into: &wire)
      Invite(
        invitation: InvitationID(random: &random), session: SessionID(random: &random),
        timeoutMilliseconds: 3_600_000, serviceType: "room", context: []
      ).encode(into: &wire)
      if conduct == .unfinished { wire.removeLast() }
    case .attaching:
      hello.encode(into: &wire)
      Attach(
        source: SessionID(random: &random), destination: SessionID(random: &random),
        membership: MembershipID(rawValue: 2), isProposal: true, ended: .none, epoch: 1,
        received: 0, grant: ChannelGrant(messageLimit: 1_024, streams: 16),
        terms: SessionTerms(seniority: 1, capacity: 8, messageBytesMax: 1_024)
      ).encode(into: &wire)
    }
    return wire
  }

  private static let openMax = 40
}
