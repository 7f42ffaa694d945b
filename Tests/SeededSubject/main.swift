// Walks sets, draws numbers and keeps an identity, in the world of the seed on its command line.
import Earshot
import EarshotSimulator
import Foundation

let world = World(seed: CommandLine.arguments.dropFirst().first.flatMap { UInt64($0) } ?? 0)
print("before", Array(Set(0..<40)))
let store = MemoryIdentityStore()
for name in ["ann", "bob"] {
  let host = world.makeHost(name)
  host.addTask("walk") {
    let identity = try Identity.stored(in: store)
    print(name, identity.id, Identity().id, Date(), UUID())
    for _ in 0..<3 {
      try await host.sleep(for: .milliseconds(Int.random(in: 1...100)))
      let numbers = Dictionary(uniqueKeysWithValues: (0..<12).map { ($0, $0) }).keys
      print(name, ContinuousClock.now, Array(numbers))
      let words = Set((0..<12).map { "word \($0)" })
      print(name, words.randomElement() ?? "", words.shuffled())
    }
    try await withPeer(name, identity: identity, trusting: .anyPeer, on: host) { peer in
      _ = try await peer.advertise("seeded")
      try await host.sleep(for: .seconds(3))
    }
  }
}
world.run(for: .seconds(5))
print(world.traceHash)
