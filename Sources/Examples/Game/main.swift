import Earshot
import EarshotPOSIX
import Foundation

/// Ends the program with an error, without a backtrace.
func orExit<Value>(_ body: () async throws -> Value) async -> Value {
  do { return try await body() } catch { print(error) }
  exit(1)
}

// GameExample NAME OPPONENT [INTERFACE …]
let words = Array(CommandLine.arguments.dropFirst())
guard words.count > 1 else {
  print("usage: GameExample NAME OPPONENT [INTERFACE …]")
  exit(2)
}
let host = await orExit {
  try POSIXHost(.init(interfaces: words.count > 2 ? Array(words[2...]) : nil))
}
let match = await orExit { try await Match(words[0], against: words[1], on: host) }

match.peer.addTask("screen") {
  for await game in match.games {
    let isOnTurn = await match.isOnTurn
    guard game.left == 0 else {
      print("\(game.left) left. " + (isOnTurn ? "Take 1, 2 or 3:" : "The other one thinks."))
      continue
    }
    print(isOnTurn ? "You have lost." : "You have won.")
  }
}
while let line = readLine() {
  if await !match.take(UInt8(line) ?? 0) { print("Not now.") }
}
await match.stop()
await host.shutDown()
