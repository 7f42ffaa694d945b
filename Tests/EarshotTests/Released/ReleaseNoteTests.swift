import Earshot
import EarshotSimulator
import Synchronization
import Testing

/// What the trace says of things that a program holds no longer and has not stopped.
@Suite("Notes of what is let go")
struct ReleaseNoteTests {
  /// The notes of a world in which Ann does something, with the second of each.
  private func notes(_ act: @escaping @Sendable (Peer) async throws -> Void) throws -> [String] {
    let world = World(seed: 1)
    defer { world.finish() }
    let told = Mutex<[String]>([])
    world.record { event in
      guard let record = event.record, record.event == .released else { return }
      let line = "\(event.time.nanoseconds / 1_000_000_000) \(record.message)"
      told.withLock { $0.append(line) }
    }
    let ann = world.makeHost("ann")
    let playing = ann.addTask("play") {
      let peer = try await Peer("Ann", trusting: .anyPeer, on: ann)
      try await ann.sleep(for: .seconds(3))
      try await act(peer)
      try await ann.sleep(for: .seconds(2))
      await peer.stop()
    }
    world.run(for: .seconds(10))
    try playing.value
    return told.withLock { $0 }
  }

  @Test("An advertiser, a browser and a session that are dropped on the spot are told of at once")
  func dropped() throws {
    let notes = try notes { ann in
      _ = try await ann.advertise("chat")
      _ = try await ann.browse("game")
      _ = try await ann.makeSession()
    }
    #expect(
      notes == [
        "3 Ann's advertiser of 'chat' is held by nobody any more, and stops",
        "3 Ann's browser of 'game' is held by nobody any more, and stops",
        "3 a session of Ann is held by nobody any more, and stops",
      ])
  }

  @Test("What was stopped before it is dropped is not told of, nor what is held to the end")
  func stopped() throws {
    let held = Mutex<[any Sendable]>([])
    let notes = try notes { ann in
      try await ann.advertise("chat").stop()
      try await ann.browse("game").stop()
      try await ann.makeSession().stop()
      let things: [any Sendable] = [
        try await ann.advertise("chat"), try await ann.browse("game"), try await ann.makeSession(),
      ]
      held.withLock { $0 = things }
    }
    #expect(notes.isEmpty && held.withLock { $0.count } == 3)
  }

  @Test("A peer that is dropped is told of, unless it was stopped", arguments: [false, true])
  func peer(isStopped: Bool) throws {
    let notes = try notes { ann in
      let bob = try await Peer("Bob", trusting: .anyPeer, on: ann.host)
      if isStopped { await bob.stop() }
    }
    #expect(notes == (isStopped ? [] : ["3 peer Bob is held by nobody any more, and stops"]))
  }
}
