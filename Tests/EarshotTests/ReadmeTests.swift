import Earshot
import EarshotSimulator
import Synchronization
import Testing

@Suite("The README")
struct ReadmeTests {
  @Test("The first message arrives as the README has it")
  func firstMessage() {
    let printed = Mutex<[String]>([])
    @Sendable func print(_ text: String) { printed.withLock { $0.append(text) } }

    @Sendable func listen(on host: any NetworkHost) async throws {
      let ann = try await Peer("Ann", on: host)
      let advertiser = try await ann.advertise("chat", info: ["room": "lobby"])
      for await invitation in advertiser.invitations {
        let session = try await invitation.accept()
        for await message in session.messages {
          print(String(decoding: message.bytes, as: UTF8.self))
        }
      }
    }

    @Sendable func greet(on host: any NetworkHost) async throws {
      let bob = try await Peer("Bob", on: host)
      let browser = try await bob.browse("chat")
      let session = try await bob.makeSession()
      for await event in browser.events {
        guard case .found(let peer) = event else { continue }
        if try await bob.invite(peer.id, to: session) == .accepted {
          try await session.send(Array("hello".utf8))
        }
      }
    }

    let world = World(seed: 1)
    let (phone, tablet) = (world.makeHost("phone"), world.makeHost("tablet"))
    phone.spawn("ann") { try? await listen(on: phone) }
    tablet.spawn("bob") { try? await greet(on: tablet) }
    world.run(for: .seconds(10))
    world.finish()
    #expect(printed.withLock { $0 } == ["hello"])
  }
}
