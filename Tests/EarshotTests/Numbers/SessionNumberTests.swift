import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// Sessions whose settings are extreme, each beside one with ordinary settings.
@Suite("Numbers in the settings of sessions and peers", .timeLimit(.minutes(30)))
struct SessionNumberTests {
  private typealias Row = ExtremeSettings<Session.Configuration>

  private static let sessions: [ExtremeSettings<Session.Configuration>] = [
    Row.rows("maximumMemberCount", \.maximumMemberCount, Extremes.integers(), in: .init()),
    Row.rows("patience", \.patience, Extremes.durations, in: .init()),
    Row.rows("maximumMessageBytes", \.maximumMessageBytes, Extremes.integers(), in: .init()),
    Row.rows("sendBufferBytes", \.sendBufferBytes, Extremes.integers(), in: .init()),
    Row.rows("receiveWindowBytes", \.receiveWindowBytes, Extremes.integers(), in: .init()),
    Row.rows("maximumStreamCount", \.maximumStreamCount, Extremes.integers(), in: .init()),
    Row.rows("streamBufferBytes", \.streamBufferBytes, Extremes.integers(), in: .init()),
  ].flatMap(\.self)

  private static let peers: [ExtremeSettings<Peer.Configuration>] = [
    ExtremeSettings.rows("port", \.port, Extremes.integers(of: UInt16.self), in: .init()),
    ExtremeSettings.rows(
      "maximumOpenInvitations", \.maximumOpenInvitations, Extremes.integers(), in: .init()),
  ].flatMap(\.self)

  @Test(
    "A session with any number in its settings is joined, exchanges messages, outlives a broken link and ends",
    arguments: sessions)
  func session(row: ExtremeSettings<Session.Configuration>) throws {
    try Encounter(seed: 11).hold { world, peers in
      let meeting = try await Meeting(of: peers[0], row.settings)
      try await talk(meeting.session, try await meeting.join(peers[1]), in: world)
    }
    try Encounter(seed: 12).hold { world, peers in
      let meeting = try await Meeting(of: peers[0])
      try await talk(meeting.session, try await meeting.join(peers[1], row.settings), in: world)
    }
  }

  @Test("A peer with any number in its settings is found, joined and left", arguments: peers)
  func peer(row: ExtremeSettings<Peer.Configuration>) throws {
    try Encounter(seed: 13, row.settings).hold { world, peers in
      let meeting = try await Meeting(of: peers[0])
      try await talk(meeting.session, try await meeting.join(peers[1]), in: world)
    }
  }

  @Test("Every number in the settings of sessions and peers has its extremes in the table")
  func complete() {
    let session = PublicNumbers.properties(
      of: Session.Configuration(), besides: [EncryptionPreference.self, ResourcePolicy.self])
    #expect(session == Set(Self.sessions.map(\.property)))
    let peer = PublicNumbers.properties(of: Peer.Configuration(), besides: [Liveness.self])
    #expect(peer == Set(Self.peers.map(\.property)))
  }

  /// Carries three streams, one after the other, of which one is larger than the first credit.
  private func carry(from sender: Session, to receiver: Session) async throws {
    guard let member = await sender.members.first?.id else { return }
    for count in [0, 1, 20_000] {
      let stream = try await sender.openStream("numbers", to: member, isOneWay: true)
      async let writing: Void = {
        try await stream.write(StreamPair.bytes(count))
        stream.finish()
      }()
      for await received in receiver.streams {
        #expect(try await received.readAll().isSame(as: StreamPair.bytes(count)))
        break
      }
      try await writing
    }
  }

  /// Both sides send in all ways, lose their link, and leave.
  private func talk(_ anns: Session, _ bobs: Session, in world: World) async throws {
    for (sender, receiver) in [(anns, bobs), (bobs, anns)] {
      try await carry(from: sender, to: receiver)
      try await sender.send([UInt8]())
      do throws(EarshotError) {
        try sender.trySend([UInt8]())
      } catch {
        #expect(error.code == .sendBufferFull)
        try await sender.send([UInt8]())
      }
      #expect(await receiver.take(2) == [0, 0])
      let error = await failure { try await sender.send([7]) }
      if let error {
        #expect(error.code == .messageTooLarge)
      } else {
        #expect(await receiver.take(1) == [7])
      }
    }
    world.inject(.links(.between("ann", and: "bob"), .reset()))
    try await world.hosts[0].sleep(for: .seconds(60))
    #expect(await anns.members.count == bobs.members.count)
    if await anns.members.count == 1 {
      try await anns.send([UInt8]())
      #expect(await bobs.take(1) == [0])
    }
    _ = try? anns.sendUnreliably([UInt8]())
    await anns.stop()
    try await world.hosts[0].sleep(for: .seconds(60))
    #expect(await bobs.members.isEmpty)
    await bobs.stop()
  }
}

/// Ann and Bob on hosts of those names, in a world of their own.
struct Encounter {
  let seed: UInt64
  private let settings: Peer.Configuration

  init(seed: UInt64, _ settings: Peer.Configuration = .init()) {
    (self.seed, self.settings) = (seed, settings)
  }

  /// Has them do something, which ends within an hour.
  func hold(
    trusting trust: TrustPolicy = .anyPeer,
    _ body: @escaping @Sendable (World, [Peer]) async throws -> Void
  ) throws {
    let world = World(seed: seed)
    defer { world.finish() }
    let hosts = ["ann", "bob"].map { world.makeHost($0) }
    let settings = settings
    let task = hosts[0].addTask("all") {
      var peers: [Peer] = []
      for host in hosts {
        peers.append(
          try await Peer(host.name, trusting: trust, configuration: settings, on: host))
      }
      try await body(world, peers)
      for peer in peers { await peer.stop() }
    }
    #expect(world.run(until: { task.result != nil }, within: .seconds(3_600)))
    try task.value
  }
}
