import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: connections that are interrupted")
struct InterruptionContract {
  private static let bytes = [UInt8](0..<200)

  @Test(
    "What is lost in an interruption arrives after it, in order",
    arguments: disturbedNetworks, [[Disturbance.Side.ann], [.bob], [.ann, .bob]])
  func short(under network: any DisturbedNetwork, sides: [Disturbance.Side]) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      for side in sides { try await hosts.begin(.mute(side)) }
      try link.annSaw.send(Self.bytes, over: link.ann)
      try await hosts.bobSends(Self.bytes, over: link)
      try await hosts.passTime(.milliseconds(300))
      // What passes passes, although its acknowledgement does not.
      #expect(link.bobSaw.state.received == (sides == [.bob] ? Self.bytes : []))
      #expect(link.annSaw.state.received == (sides == [.ann] ? Self.bytes : []))
      for side in sides { try await hosts.end(.mute(side)) }
      try await link.bobSaw.seen.wait { $0.received == Self.bytes }
      try await link.annSaw.seen.wait { $0.received == Self.bytes }
      #expect(link.annSaw.state.error == nil && link.bobSaw.state.error == nil)
    }
  }

  @Test(
    "Bytes that are not acknowledged cost the connection, in whichever direction the silence is",
    arguments: disturbedNetworks, [Disturbance.Side.ann, .bob])
  func long(under network: any DisturbedNetwork, side: Disturbance.Side) async throws {
    try await network.run { hosts in
      let link = try await hosts.link(options: ConnectionOptions(userTimeout: .seconds(1)))
      try await hosts.begin(.mute(side))
      try link.annSaw.send(Self.bytes, over: link.ann)
      let state = try await link.annSaw.seen.wait { $0.error != nil }
      #expect(state.error?.code == .timedOut && state.error?.errno == 110)
      #expect(link.bobSaw.state.received == (side == .bob ? Self.bytes : []))
    }
  }

  /// Linux sends no reset for a connection that it gives up for silence.
  @Test(
    "The other side of a connection that was given up learns of it when it writes",
    arguments: disturbedNetworks)
  func givenUp(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let link = try await hosts.link(options: ConnectionOptions(userTimeout: .seconds(1)))
      try await hosts.begin(.mute(.bob))
      try link.annSaw.send(Self.bytes, over: link.ann)
      try await link.annSaw.seen.wait { $0.error != nil }
      try await hosts.passTime(.milliseconds(300))
      #expect(link.bobSaw.state.error == nil && !link.bobSaw.state.isEnded)
      try await hosts.end(.mute(.bob))
      try await hosts.passTime(.milliseconds(300))
      #expect(link.bobSaw.state.error == nil && !link.bobSaw.state.isEnded)
      try await hosts.bobSends([1], over: link)
      let state = try await link.bobSaw.seen.wait { $0.error != nil }
      #expect(state.error?.code == .connectionReset)
    }
  }

  @Test("A connection that is silent costs nothing while it is cut", arguments: disturbedNetworks)
  func idle(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let link = try await hosts.link(options: ConnectionOptions(userTimeout: .seconds(1)))
      try await hosts.begin(.mute(.ann), .mute(.bob))
      try await hosts.passTime(.seconds(2))
      try await hosts.end(.mute(.ann), .mute(.bob))
      try link.annSaw.send(Self.bytes, over: link.ann)
      try await link.bobSaw.seen.wait { $0.received == Self.bytes }
      #expect(link.annSaw.state.error == nil)
    }
  }

  @Test(
    "The end of a direction that is lost arrives later, and the other direction is open",
    arguments: disturbedNetworks)
  func lostEnd(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      try await hosts.begin(.mute(.ann))
      try link.annSaw.send(Self.bytes, ending: true, over: link.ann)
      try await hosts.passTime(.milliseconds(300))
      #expect(!link.bobSaw.state.isEnded)
      try await hosts.end(.mute(.ann))
      let state = try await link.bobSaw.seen.wait { $0.isEnded }
      #expect(state.received == Self.bytes)
      try await hosts.bobSends([7, 8], over: link)
      try await link.annSaw.seen.wait { $0.received == [7, 8] }
      #expect(!link.annSaw.state.isEnded)
    }
  }

  @Test(
    "A reset ends every connection at both ends, and none after it", arguments: disturbedNetworks)
  func resets(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let links = [try await hosts.link(), try await hosts.link(), try await hosts.link()]
      for link in links {
        try link.annSaw.send(Self.bytes, over: link.ann)
        try await link.bobSaw.seen.wait { $0.received == Self.bytes }
        try await hosts.bobSends([1], over: link)
        try await link.annSaw.seen.wait { $0.received == [1] }
      }
      try await hosts.begin(.reset)
      for recorder in links.flatMap({ [$0.annSaw, $0.bobSaw] }) {
        let state = try await recorder.seen.wait { $0.error != nil }
        #expect(state.error?.code == .connectionReset && state.error?.errno == 104)
        #expect(!state.isEnded)
      }
      let next = try await hosts.link()
      try next.annSaw.send(Self.bytes, over: next.ann)
      try await next.bobSaw.seen.wait { $0.received == Self.bytes }
    }
  }
}
