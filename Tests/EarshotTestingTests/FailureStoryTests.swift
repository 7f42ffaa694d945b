import Earshot
import EarshotSimulator
import EarshotTesting
import Foundation
import Synchronization
import Testing

@Suite("The events that led to a failure")
struct FailureStoryTests {
  /// The comments of the first issue of a test with one seed.
  private func comments(
    _ configuration: WorldConfiguration = WorldConfiguration(), shrink: Bool = true,
    _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> [String] {
    let trait = SimulatedTrait(
      SeedChoice([3], environment: [:]), configuration, jobs: 1, shrink: shrink)
    return try await trait.issues(of: body).first?.comments.map(\.rawValue) ?? []
  }

  /// The lines of the last events; the first one says when the failure was.
  private func story(_ comments: [String]) -> [String] {
    let text = comments.last { $0.hasPrefix("The last events before") }
    return text?.components(separatedBy: "\n") ?? []
  }

  @Test("Notes have their times and their hosts, in order, and what comes later is not among them")
  func notes() async throws {
    let story = story(
      try await comments { world in
        let ann = world.makeHost("ann")
        world.at(.zero + .milliseconds(1_500)) { world.note(ann, kind: "order", "milk") }
        world.at(.zero + .seconds(2)) { world.note(nil, kind: "shop", "closed") }
        world.at(.zero + .seconds(4)) { world.note(ann, kind: "order", "bread") }
        world.run(for: .seconds(3))
        #expect(ann.isUp == false)
        world.run(for: .seconds(3))
      })
    #expect(
      story == [
        "The last events before the failure at 3s:", "  1.5s  ann  notes: order milk",
        "  2s  network  notes: shop closed",
      ])
  }

  @Test("A failure in the code of a host has the events that the code follows from, and its host")
  func causes() async throws {
    let story = story(
      try await comments { world in
        let ann = world.makeHost("ann")
        ann.addTask("check") {
          try await ann.sleep(for: .seconds(1))
          world.note(ann, kind: "step", "one")
          try await ann.sleep(for: .seconds(1))
          #expect(world.seed == 0)
        }
        world.run(for: .seconds(3))
      })
    #expect(story.first == "The last events before the failure at 2s on ann:")
    #expect(story.dropFirst() == ["  1s  ann  notes: step one", "  2s  ann  a timer is due"])
  }

  @Test("Packets have the names of their frames; discovery and acknowledgements are left out")
  func frames() async throws {
    let story = story(
      try await comments { world in
        let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
        let heard = ann.addTask("listen") { try await Greeting.listen(on: ann) }
        bob.addTask("greet") { try await Greeting.greet(on: bob) }
        #expect(world.run(until: { heard.result != nil }, within: .seconds(30)))
        let word = try heard.value
        #expect(word == "goodbye")
      })
    #expect((4...21).contains(story.count), "\(story)")
    #expect(story.contains { $0.contains("ann  hears MESSAGE from bob") }, "\(story)")
    #expect(!story.contains { $0.contains("mDNS") || $0.contains(" ACK to") }, "\(story)")
  }

  @Test("An always that does not hold has the events before its own moment")
  func violation() async throws {
    let story = story(
      try await comments { world in
        let ann = world.makeHost("ann")
        ann.addTask("count") {
          try await ann.sleep(for: .seconds(1))
          world.note(ann, kind: "count", "12")
          ann.always(false, "few", "12")
        }
        world.at(.zero + .seconds(2)) { world.note(nil, kind: "shop", "closed") }
        world.run(for: .seconds(9))
      })
    #expect(story.first == "The last events before the failure at 1s on ann:")
    #expect(story.last == "  1s  ann  notes: count 12", "\(story)")
  }

  @Test("The error of a task that ended long before has the events before its end")
  func unawaited() async throws {
    struct Failure: Error {}
    let story = story(
      try await comments { world in
        let ann = world.makeHost("ann")
        world.note(ann, kind: "shop", "open")
        ann.addTask("fail") {
          try await ann.sleep(for: .seconds(1))
          throw Failure()
        }
        world.at(.zero + .seconds(2)) { world.note(ann, kind: "shop", "closed") }
        world.run(for: .seconds(9))
      })
    #expect(story.first == "The last events before the failure at 1s on ann:")
    #expect(story.contains("  0s  ann  notes: shop open"))
    #expect(!story.contains { $0.contains("closed") })
  }

  @Test("Of a run that was reduced, the events are those of the reduced run; at most 20 lines")
  func reduced() async throws {
    let comments = try await comments { world in
      let ann = world.makeHost("ann")
      world.makeHost("bob")
      world.execute(
        FaultPlan([
          Fault(at: .seconds(1), .cut(.between("ann", and: "bob")), lasting: .seconds(2)),
          Fault(at: .seconds(2), .crash("ann")), Fault(at: .seconds(3), .crash("bob")),
        ]))
      for second in 4..<40 {
        world.at(.zero + .seconds(second)) { world.note(nil, kind: "tick", "\(second)") }
      }
      world.run(for: .seconds(60))
      #expect(ann.isUp)
    }
    let story = story(comments)
    #expect(story.first == "The last events before the failure at 60s in the reduced run:")
    #expect(story.contains("  2s  ann  fault: crash"))
    #expect(!story.contains { $0.contains("bob") })
    #expect(story.count <= 21 && story.last == "  39s  network  notes: tick 39")
  }

  @Test("A run that fails is watched once, and one that passes never is")
  func cost() async throws {
    let runs = Mutex(0)
    _ = try await comments(shrink: false) { world in
      runs.withLock { $0 += 1 }
      let ann = world.makeHost("ann")
      world.note(ann, kind: "shop", "open")
      #expect(!ann.isUp)
    }
    // The first run and its repetition, which is watched.
    #expect(runs.withLock { $0 } == 2)
  }

  @Test("A failure before anything has happened has no such comment")
  func empty() async throws {
    let comments = try await comments { world in
      world.makeHost("ann")
      #expect(world.seed == 0)
    }
    #expect(comments.count == 1 && story(comments).isEmpty)
  }
}

/// A word from one peer to another.
enum Greeting {
  /// Advertises, and returns the first message.
  static func listen(on host: SimulatedHost) async throws -> String {
    try await withPeer("Ann", trusting: .anyPeer, on: host) { ann in
      let advertiser = try await ann.advertise("hello")
      for await invitation in advertiser.invitations {
        guard let session = try? await invitation.accept() else { continue }
        for await message in session.messages {
          return String(decoding: message.bytes, as: UTF8.self)
        }
      }
      throw CancellationError()
    }
  }

  /// Invites the first peer that is found, and says hello.
  static func greet(on host: SimulatedHost) async throws {
    try await withPeer("Bob", trusting: .anyPeer, on: host) { bob in
      let browser = try await bob.browse("hello")
      let session = try await bob.makeSession()
      for await event in browser.events {
        guard case .found(let peer) = event else { continue }
        while try await bob.invite(peer.id, to: session) == .timedOut {}
        try await session.send("hello".utf8)
        return
      }
    }
  }
}
