import Earshot
import EarshotPOSIX
import Foundation

/// Ends the program with an error, without a backtrace.
func orExit<Value>(_ body: () async throws -> Value) async -> Value {
  do { return try await body() } catch { print(error) }
  exit(1)
}

// GatheringExample NAME [INTERFACE …]
let words = CommandLine.arguments.dropFirst()
guard let name = words.first else {
  print("usage: GatheringExample NAME [INTERFACE …]")
  exit(2)
}
let host = await orExit {
  try POSIXHost(.init(interfaces: words.count > 1 ? Array(words.dropFirst()) : nil))
}
let gathering = await orExit { try await Gathering(name, on: host) }
print("Every line is published to all.")

gathering.peer.addTask("posts") {
  for await post in gathering.posts {
    print("\(post.sender.short): \(String(decoding: post.bytes, as: UTF8.self))")
  }
}
gathering.peer.addTask("members") {
  for await _ in gathering.events {
    print("here: \(await gathering.members.map(\.name).joined(separator: ", "))")
  }
}
while let line = readLine() {
  do { try await gathering.publish(line) } catch { print(error) }
}
await gathering.stop()
await host.shutDown()
