import ChatExample
import Earshot
import EarshotPOSIX
import EarshotTesting
import Testing

@Suite("The chat", .timeLimit(.minutes(30)))
struct ChatTests {
  @Test("Over sockets, one is asked twice, and both say all and learn the end")
  func sockets() async throws {
    let hosts = try (0..<2).map { _ in try POSIXHost(.init(interfaces: ["lo"])) }
    let ann = try await User("Ann", on: hosts[0], pace: .milliseconds(5), lines: 20)
    let bob = try await User("Bob", on: hosts[1], pace: .milliseconds(5), lines: 20)
    bob.answerQuestions(refusing: 1)
    let asking = ann.chat.peer.addTask { try await ann.ask("Bob") }
    await ann.hearsAll(20)
    await bob.hearsAll(20)
    await bob.chat.end()
    let outcomes = try await asking.value
    #expect(outcomes == [.declined, .accepted])
    await ann.chatHasEnded()
    await bob.chatHasEnded()
    expectWholeChat(ann, bob)
    for user in [ann, bob] { await user.chat.stop() }
    for host in hosts { await host.shutDown() }
  }

  @Test("Whatever comes between the two, they say all and learn the end", .simulated(seeds: 200))
  func faults() throws {
    let world = World.current
    let (ann, bob) = try couple(in: world, lines: 40)
    var trouble = Trouble(in: world, [ann, bob].map { App($0.host, $0.user.chat.peer) })
    let isOver = trouble.strike(4, for: .seconds(15), longest: .seconds(8))
    bob.user.answerQuestions(refusing: 1)
    let asking = ann.host.addTask("asks") { try await ann.user.ask("Bob") }
    let chatting = bob.host.addTask("chats") {
      await bob.user.hearsAll(40)
      try await bob.host.sleep(until: isOver + .seconds(20))
      await bob.user.chat.end()
    }
    world.run(until: isOver + .seconds(19))
    #expect(ann.user.heard == bob.user.lines && bob.user.heard == ann.user.lines)
    world.run(for: .seconds(5))
    _ = try chatting.value
    let outcomes = try asking.value
    #expect(outcomes.last == .accepted && outcomes.count { $0 == .declined } == 1)
    expectWholeChat(ann.user, bob.user)
  }

  @Test("One who is away for too long has ended the chat for both", .simulated(seeds: 20))
  func lost() throws {
    let world = World.current
    let (ann, bob) = try couple(in: world, lines: 5)
    bob.user.answerQuestions(refusing: 0)
    ann.host.addTask("asks") { _ = try? await ann.user.ask("Bob") }
    world.run(for: .seconds(20))
    #expect(bob.user.heard == ann.user.lines)
    let fault = world.cut(ann.host, to: bob.host)
    world.run(for: .seconds(50))
    for user in [ann.user, bob.user] {
      #expect(user.news.suffix(2) == [.interrupted, .ended(.lost)])
    }
    fault.end()
    bob.user.answerQuestions(refusing: 0)
    let again = ann.host.addTask("asks again") { try await ann.user.ask("Bob") }
    world.run(for: .seconds(20))
    #expect(try again.value == [.accepted])
  }

  @Test("A question that is taken back is open no longer, and one who chats is busy")
  func questions() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let (ann, bob) = try couple(in: world, lines: 1)
    let impatient = ann.host.addTask("asks") { try await ann.user.ask("Bob") }
    #expect(world.run(until: { bob.user.news.count == 1 }, within: .seconds(10)))
    #expect(bob.user.news == [.asked(by: "Ann", greeting: "How about it?")])
    impatient.cancel()
    #expect(world.run(until: { bob.user.news.last == .questionEnded }, within: .seconds(10)))

    bob.user.answerQuestions(refusing: 0)
    ann.host.addTask("asks again") { _ = try? await ann.user.ask("Bob") }
    world.run(for: .seconds(10))
    #expect(bob.user.news.contains(.began(with: "Ann")))
    let cy = try start("Cy", in: world, lines: 1)
    let third = cy.host.addTask("asks") { try await cy.user.askOnce("Bob") }
    world.run(for: .seconds(10))
    #expect(try third.value == .busy)
  }

  // MARK: Two users

  private struct Place {
    let host: SimulatedHost
    let user: User
  }

  private func start(_ name: String, in world: World, lines: Int) throws -> Place {
    let host = world.makeHost(name)
    let start = host.addTask("start") { () async throws -> User in
      try await User(name, on: host, pace: .milliseconds(500), lines: lines)
    }
    world.run(for: .zero)
    return Place(host: host, user: try start.value)
  }

  private func couple(in world: World, lines: Int) throws -> (ann: Place, bob: Place) {
    (try start("Ann", in: world, lines: lines), try start("Bob", in: world, lines: lines))
  }

  private func expectWholeChat(_ ann: User, _ bob: User) {
    #expect(ann.heard == bob.lines)
    #expect(bob.heard == ann.lines)
    #expect(ann.frame == [.began(with: "Bob"), .ended(.left)])
    #expect(bob.frame == [.began(with: "Ann"), .ended(.disconnected)])
  }
}

extension User {
  /// The beginning and the end of each chat.
  fileprivate var frame: [Chat.News] {
    news.filter {
      switch $0 {
      case .began, .ended: true
      default: false
      }
    }
  }
}
