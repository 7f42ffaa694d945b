import Earshot
import EarshotCore
import EarshotNetwork
import EarshotTLS
import Synchronization
import Testing

/// Two peers that invite each other at once, on real sockets as in the simulator.
@Suite("Invitations that cross", .timeLimit(.minutes(30)))
struct CrossedInvitationTests {
  /// When the smaller peer withdraws its own invitation.
  enum Moment: String, CaseIterable, Sendable {
    case beforeAccepting, atOnce, onceJoining, onceJoined, whileNothingArrives, whileStopping
  }

  @Test(
    "Invitations that cross and are accepted end, whenever the smaller peer withdraws its own",
    arguments: Ground.allCases, Moment.allCases)
  func takenBack(ground: Ground, moment: Moment) async throws {
    try await ground.meetOnHosts(2) { bases in
      let hosts = bases.map { FaultyHost($0) }
      let identities = [Identity(), Identity()].sorted { $0.id < $1.id }
      let peers = [
        try await Peer("Ann", identity: identities[0], trusting: .anyPeer, on: hosts[0]),
        try await Peer("Bob", identity: identities[1], trusting: .anyPeer, on: hosts[1]),
      ]
      let service = "crossed-\(Moment.allCases.firstIndex(of: moment) ?? 0)"
      var (advertisers, others): ([Advertiser], [Session]) = ([], [])
      for peer in peers {
        advertisers.append(try await peer.advertise(service))
        others.append(try await peer.makeSession())
      }
      for _ in 0..<10 {
        let own = [try await peers[0].makeSession(), try await peers[1].makeSession()]
        let tickets = [
          try await peers[0].ticket(for: service), try await peers[1].ticket(for: service),
        ]
        let invites = (0..<2).map { index in
          peers[index].start { try await peers[index].invite(tickets[1 - index], to: own[index]) }
        }
        var invitations: [Invitation] = []
        for advertiser in advertisers {
          invitations.append(try #require(await advertiser.invitations.first { _ in true }))
        }
        let endings = zip(peers, invitations).map { peer, invitation in
          peer.start { await invitation.waitForEnd() }
        }
        if moment == .beforeAccepting { invites[0].cancel() }
        if moment == .whileNothingArrives { await hosts[0].pauseReading() }
        let accepts = zip(invitations, own).map { invitation, session in
          peers[0].start { await failure { try await invitation.accept(into: session) }?.code }
        }
        switch moment {
        case .beforeAccepting, .atOnce, .whileStopping: break
        case .onceJoining:
          _ = await own[0].events(from: .unread).first {
            if case .joining = $0 { true } else { false }
          }
        case .whileNothingArrives:  // Both have sent ACCEPT; the smaller peer receives none.
          for session in own {
            _ = await session.events(from: .unread).first {
              if case .joining = $0 { true } else { false }
            }
          }
        case .onceJoined:
          _ = await own[0].events(from: .unread).first {
            if case .joined = $0 { true } else { false }
          }
        }
        invites[0].cancel()
        if moment == .whileNothingArrives {
          #expect(try await invites[0].value == .cancelled)
          await hosts[0].resumeReading()
        }
        if moment == .whileStopping { for peer in peers { await peer.stop() } }
        let outcomes = [try await invites[0].value, try await invites[1].value]
        let ends = [try await endings[0].value, try await endings[1].value]
        let codes = [try await accepts[0].value, try await accepts[1].value]
        #expect([.accepted, .cancelled].contains(outcomes[0]))
        // An invitation that was withdrawn first ends so, also when its sender has become a member.
        for (end, code) in zip(ends, codes) {
          #expect(end != nil && (end != .accepted || code == nil))
        }
        if moment == .whileStopping { break }
        // The acceptance of the smaller peer holds.
        #expect(outcomes[1] == .accepted && ends[0] == .accepted)
        #expect(await own[0].members.map(\.id) == [peers[1].id])
        #expect(await own[1].members.map(\.id) == [peers[0].id])
        for session in own { await session.stop() }
      }
      for peer in peers { await peer.stop() }
      for peer in peers { #expect(await peer.leftovers == []) }
      withExtendedLifetime(others) {}
    }
  }

  @Test(
    "An invitation that gave way to another one ends at its own timeout, and the other one with it",
    arguments: Ground.allCases)
  func timedOut(ground: Ground) async throws {
    try await ground.meetOnHosts(2) { hosts in
      let identities = [Identity(), Identity()].sorted { $0.id < $1.id }
      let bob = try await Peer("Bob", identity: identities[1], trusting: .anyPeer, on: hosts[1])
      let session = try await bob.makeSession()
      // The smaller peer is a script: nothing answers where it listens, and it confirms nothing.
      let silence = Silence()
      let addresses = hosts.map { $0.interfaces.flatMap(\.addresses).first }
      let ticket = try await bob.start {
        let listener = try hosts[1].listen(on: Endpoint(.anyV4, port: 0), handler: silence)
        return try PeerTicket(
          peer: identities[0].id, serviceType: "crossed",
          endpoints: [
            Endpoint(try #require(addresses[1]), port: listener.localEndpoint.port)
          ])
      }.value
      let port = await bob.port
      let identity = ground == .simulated ? Identity(plain: identities[0].id) : identities[0]
      var script: ScriptedDialler?
      // On a busy machine the script's INVITE may arrive after the timeout: a longer one follows.
      for (attempt, timeout) in [500, 1_000, 2_000, 4_000].enumerated() {
        let count = silence.count
        let inviting = bob.start {
          try await bob.invite(ticket, to: session, within: .milliseconds(timeout))
        }
        while silence.count == count { try await bob.wait(milliseconds: 1) }
        let dialler = try await Task(executorPreference: hosts[0].executor.task) {
          try ScriptedDialler(
            as: identity, to: Endpoint(try #require(addresses[1]), port: port), on: hosts[0],
            saying: Invite(
              invitation: InvitationID(high: 1, low: UInt64(attempt)),
              session: SessionID(rawValue: 1), timeoutMilliseconds: 600_000,
              serviceType: "crossed", context: []))
        }.value
        #expect(try await inviting.value == .timedOut)
        while !dialler.hasEnded { try await bob.wait(milliseconds: 1) }
        script = dialler
        if dialler.accept != nil { break }
      }
      #expect(script?.accept != nil)
      // The code is `expired` when an acceptance is not confirmed within five seconds.
      #expect(script?.closes == [.takenBack])
      #expect(await session.members.isEmpty)
      await bob.stop()
      #expect(await bob.leftovers == [])
    }
  }
}

/// A listener that accepts all connections and sends nothing.
private final class Silence: ListenerHandler, ConnectionHandler {
  private let accepted = Mutex<[any Connection]>([])

  /// How many connections there have been.
  var count: Int { accepted.withLock { $0.count } }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  {
    accepted.withLock { $0.append(connection) }
    return self
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {}
  func connectionOpened(_ connection: any Connection) {}
  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
  func connectionReceivedEnd(_ connection: any Connection) { connection.close() }
  func connectionBecameWritable(_ connection: any Connection) {}
  func connection(_ connection: any Connection, failed error: NetworkError) {}
}
