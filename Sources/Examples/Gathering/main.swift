import Earshot
import EarshotPOSIX

// GatheringExample NAME [INTERFACE …]
let words = CommandLine.arguments.dropFirst()
let host = try POSIXHost(.init(interfaces: words.count > 1 ? Array(words.dropFirst()) : nil))
let gathering = try await Gathering(words.first ?? "Somebody", on: host)
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
while let line = readLine() { try await gathering.publish(line) }
await gathering.stop()
await host.shutDown()
