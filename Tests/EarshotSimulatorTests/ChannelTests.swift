import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

@Suite("Channels of datagrams")
struct ChannelTests {
  @Test("A channel hears a group from joining to leaving it, and counts what found it full")
  func group() throws {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let group = Endpoint(.v4(0xEFFF_2A01), port: 7100)
    let hearing = try DatagramChannel(on: bob, endpoint: Endpoint(.anyV4, port: 7100), capacity: 2)
    let speaking = try DatagramChannel(on: ann, endpoint: Endpoint(.anyV4, port: 7101))
    func say(_ numbers: ClosedRange<UInt8>) throws {
      for number in numbers { try speaking.send([number].span, to: group, on: 1) }
      world.run(for: .seconds(1))
    }
    try say(1...5)
    #expect(hearing.lostCount == 0)
    try hearing.join(group.address, on: 1)
    try say(6...9)
    #expect(hearing.lostCount == 2)
    hearing.leave(group.address, on: 1)
    try say(10...12)
    #expect(hearing.lostCount == 2)
    let heard = bob.addTask("listener") {
      for expected: UInt8 in [6, 7] {
        let datagram = try? await hearing.receive(until: bob.now)
        #expect(datagram?.bytes == [expected])
      }
      let nothing = try? await hearing.receive(until: bob.now)
      #expect(nothing == nil)
    }
    world.run(for: .seconds(1))
    withExtendedLifetime(heard) {}
    world.finish()
  }
}
