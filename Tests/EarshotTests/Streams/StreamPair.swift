import Earshot
import EarshotSimulator
import Testing

/// Two members of a session, and what streams of theirs are made with.
struct StreamPair: Sendable {
  let ann: Peer
  let bob: Peer
  /// The session of Ann, who hosts, and that of Bob.
  let (host, guest): (Session, Session)

  /// Brings two peers together.
  init(
    _ ann: Peer, _ bob: Peer, test: String = #function,
    _ configuration: Session.Configuration = Session.Configuration()
  ) async throws {
    (self.ann, self.bob) = (ann, bob)
    let meeting = try await Meeting(of: ann, test: test, configuration)
    let guest = try await meeting.join(bob, configuration)
    (host, self.guest) = (meeting.session, guest)
  }

  /// Has two peers in a world of their own play, and waits until they are done.
  static func play(
    seed: UInt64 = 9, over links: LinkConditions = .lan, within limit: Duration = .seconds(600),
    configuration: Session.Configuration = Session.Configuration(),
    _ body: @escaping @Sendable (StreamPair, World) async throws -> Void
  ) throws {
    let world = World(seed: seed, configuration: WorldConfiguration(defaultLink: links))
    defer { world.finish() }
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let playing = ann.addTask("script") {
      let pair = try await StreamPair(
        Peer("Ann", trusting: .anyPeer, on: ann), Peer("Bob", trusting: .anyPeer, on: bob),
        test: "play", configuration)
      try await body(pair, world)
      await pair.ann.stop()
      await pair.bob.stop()
    }
    #expect(world.run(until: { playing.result != nil }, within: limit))
    try playing.value
  }

  /// A stream from Bob, as both sides see it.
  func open(
    _ name: String = "stream", priority: ByteStream.Priority = .normal, isOneWay: Bool = false
  ) async throws -> (bobs: ByteStream, anns: ByteStream) {
    let bobs = try await guest.openStream(
      name, to: ann.id, priority: priority, isOneWay: isOneWay)
    for await anns in host.streams where anns.name == name { return (bobs, anns) }
    throw Missing()
  }

  struct Missing: Error {}

  /// Bytes of which no two parts are alike.
  static func bytes(_ count: Int, from start: Int = 0) -> [UInt8] {
    (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 8 ^ $0 >> 16) }
  }
}

extension ByteStream {
  /// Everything up to the end.
  func readAll() async throws(EarshotError) -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in chunks { bytes += chunk }
    return bytes
  }
}

extension [UInt8] {
  /// Whether both are the same; an expectation of `==` would look for the difference of megabytes.
  func isSame(as other: [UInt8]) -> Bool { self == other }
}
