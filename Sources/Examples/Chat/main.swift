import Earshot
import EarshotPOSIX
import Foundation

/// Ends the program with an error, without a backtrace.
func orExit<Value>(_ body: () async throws -> Value) async -> Value {
  do { return try await body() } catch { print(error) }
  exit(1)
}

// ChatExample NAME [INTERFACE …]
let words = CommandLine.arguments.dropFirst()
guard let name = words.first else {
  print("usage: ChatExample NAME [INTERFACE …]")
  exit(2)
}
let host = await orExit {
  try POSIXHost(.init(interfaces: words.count > 1 ? Array(words.dropFirst()) : nil))
}
let chat = await orExit { try await Chat(name, on: host) }
print("ask NAME, yes, no, end; anything else is said.")

chat.peer.addTask("news") { for await news in chat.news { print(news) } }
chat.peer.addTask("nearby") {
  for await peers in chat.nearby { print("nearby: \(peers.map(\.name).joined(separator: ", "))") }
}
while let line = readLine() {
  do {
    switch line {
    case "yes", "no": try await chat.answer(line == "yes")
    case "end": await chat.end()
    case _ where line.hasPrefix("ask "):
      let other = await chat.nearby.first { _ in true }?.first { $0.name == line.dropFirst(4) }
      guard let other else { print("not nearby"); continue }
      print(try await chat.ask(other.id, greeting: "How about a chat?"))
    default: try await chat.say(line)
    }
  } catch { print(error) }
}
await chat.stop()
await host.shutDown()
