import Earshot
import EarshotPOSIX
import EarshotTesting
import GameExample
import Testing

@Suite("The game", .timeLimit(.minutes(30)))
struct MatchTests {
  @Test("Over sockets, a game is played to its end, through a suspension")
  func sockets() async throws {
    let hosts = try (0..<2).map { _ in try POSIXHost(.init(interfaces: ["lo"])) }
    let ann = try await Player("Ann", against: "Bob", on: hosts[0], thinking: .milliseconds(20))
    let bob = try await Player("Bob", against: "Ann", on: hosts[1], thinking: .milliseconds(20))
    await ann.reaches(2)
    await bob.match.peer.suspend()
    await ann.reaches(await ann.match.game.moves.count)
    try await bob.match.peer.resume()
    await ann.finishes()
    await bob.finishes()
    expectWholeGame(ann, bob)
    for player in [ann, bob] { await player.match.stop() }
    for host in hosts { await host.shutDown() }
  }

  @Test(
    "Both agree at all times, nobody moves twice, and both know the result",
    .simulated(seeds: 200))
  func faults() throws {
    let world = World.current
    let players = [
      try start("Ann", against: "Bob", in: world), try start("Bob", against: "Ann", in: world),
    ]
    // One in four is interrupted for longer than a member is waited for.
    let longest: Duration = .seconds(world.seed.isMultiple(of: 4) ? 30 : 6)
    var trouble = Trouble(in: world, players.map { App($0.host, $0.player.match.peer) })
    let isOver = trouble.strike(5, for: .seconds(15), longest: longest)
    // Agreed at all times: nobody knows of two games, and who is not on turn knows no less.
    let disagree = {
      let moves = players.map { $0.player.moves }.sorted { $0.count < $1.count }
      return !moves[1].starts(with: moves[0]) || moves[1].count > moves[0].count + 1
    }
    let rest = isOver + .seconds(60) - world.now
    #expect(!world.run(until: disagree, within: rest))
    expectWholeGame(players[0].player, players[1].player)
  }

  @Test("A third one who wants to play is told that it is the wrong time", .simulated(seeds: 20))
  func third() throws {
    let world = World.current
    let ann = try start("Ann", against: "Bob", in: world)
    let cy = try start("Cy", against: "Ann", in: world)
    world.run(for: .seconds(5))
    let bob = try start("Bob", against: "Ann", in: world)
    world.run(for: .seconds(60))
    expectWholeGame(ann.player, bob.player)
    #expect(cy.player.games.isEmpty)
  }

  @Test("Nobody takes more than three stones, nor more than there are")
  func rules() {
    #expect(Stones(moves: [3, 3, 3, 3, 3, 3, 3])?.left == 0)
    #expect(Stones(moves: [3, 3, 3, 3, 3, 3, 2])?.turn == 1)
    for wrong in [[0], [4], [3, 3, 3, 3, 3, 3, 2, 2], [3, 3, 3, 3, 3, 3, 3, 1]] as [[UInt8]] {
      #expect(Stones(moves: wrong) == nil)
    }
  }

  /// Both know the same game to its end, and it consists of the moves of one and the other in turns.
  private func expectWholeGame(_ ann: Player, _ bob: Player) {
    #expect(ann.games.last?.left == 0)
    #expect(ann.moves == bob.moves)
    let moves = ann.moves.enumerated()
    let turns = [0, 1].map { turn in moves.filter { $0.offset % 2 == turn }.map(\.element) }
    let players = ann.match.peer.id < bob.match.peer.id ? [ann, bob] : [bob, ann]
    #expect(turns == players.map(\.ownMoves))
  }

  private struct Place {
    let host: SimulatedHost
    let player: Player
  }

  private func start(_ name: String, against other: String, in world: World) throws -> Place {
    let host = world.makeHost(name)
    let start = host.addTask("start") { () async throws -> Player in
      try await Player(name, against: other, on: host, thinking: .seconds(2))
    }
    world.run(for: .zero)
    return Place(host: host, player: try start.value)
  }
}
