import Earshot
import GameExample

/// Somebody who plays: thinks for a while, and takes some stones, its own turn or not.
final class Player: Sendable {
  let match: Match
  private let host: any NetworkHost
  private let thinking: Duration
  private let log = Watched(Log())

  private struct Log: Sendable {
    var games: [Stones] = []
    var ownMoves: [UInt8] = []
    var hasFinished = false
  }

  init(
    _ name: String, against other: String, on host: any NetworkHost, thinking: Duration
  ) async throws {
    (self.host, self.thinking) = (host, thinking)
    match = try await Match(name, against: other, on: host, patience: .seconds(10))
    match.peer.addTask("watch") {
      for await game in self.match.games { self.log.update { $0.games.append(game) } }
    }
    match.peer.addTask("play") { try await self.play() }
  }

  /// The game as it was after each change.
  var games: [Stones] { log.value.games }
  /// The moves that the player knows of.
  var moves: [UInt8] { games.last?.moves ?? [] }

  /// The moves that are the player's.
  var ownMoves: [UInt8] { log.value.ownMoves }

  /// Waits until the player knows of so many moves.
  func reaches(_ count: Int) async {
    _ = await log.first { $0.games.last?.moves.count ?? 0 >= count }
  }

  /// Waits until the player knows that the game is over.
  func finishes() async { _ = await log.first { $0.games.last?.left == 0 && $0.hasFinished } }

  private func play() async throws {
    var random = host.random("player")
    while await match.game.left > 0 {
      try await host.sleep(for: thinking * Double.random(in: 0..<2, using: &random))
      let count = UInt8.random(in: 1...3, using: &random)
      if await match.take(count) { log.update { $0.ownMoves.append(count) } }
    }
    log.update { $0.hasFinished = true }
  }
}
