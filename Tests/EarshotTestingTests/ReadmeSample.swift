import EarshotTesting
import Testing

@Test(.simulated(seeds: 200))
func knocking() throws {
  let world = World.current
  let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
  let fault = world.cut(ann, to: bob)
  let heard = bob.spawn("listener") {
    let channel = try DatagramChannel(on: bob, endpoint: Endpoint(.anyV4, port: 7100))
    return try await channel.receive()?.header.source.address
  }
  _ = ann.spawn("knocker") {
    let channel = try DatagramChannel(on: ann, endpoint: Endpoint(.anyV4, port: 0))
    for _ in 0..<10 {
      try channel.send([1].span, to: Endpoint(bob.address, port: 7100))
      try await ann.sleep(for: .seconds(1))
    }
  }
  world.at(.zero + .seconds(5)) { fault.end() }
  #expect(world.run(until: { heard.result != nil }, within: .seconds(10)))
  #expect(try heard.value == ann.address && world.now > .zero + .seconds(5))
}
