import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("First hello")
struct FirstHelloTests {
  @Test("Two peers find each other, one invites, both talk")
  func hello() throws {
    let world = World(seed: 1)
    let (annHost, bobHost) = (world.makeHost("ann"), world.makeHost("bob"))
    let log = Mutex<[String]>([])
    @Sendable func note(_ text: String) { log.withLock { $0.append("\(world.now) \(text)") } }
    annHost.addTask("ann") {
      do {
        let ann = try await Peer("Ann", trusting: .anyPeer, on: annHost)
        let advertiser = try await ann.advertise("chat", info: ["room": "lobby"])
        for await invitation in advertiser.invitations {
          note("ann invited by \(invitation.senderName)")
          let session = try await invitation.accept()
          note("ann accepted")
          for await activity in session.activity {
            note("ann: \(activity.text)")
            if case .message(let message) = activity {
              try await session.send(message.bytes + message.bytes, to: [message.sender])
            }
          }
        }
      } catch { note("ann failed: \(error)") }
    }
    bobHost.addTask("bob") {
      do {
        let bob = try await Peer("Bob", trusting: .anyPeer, on: bobHost)
        let browser = try await bob.browse("chat")
        for await event in browser.events {
          guard case .found(let peer) = event else { continue }
          note("bob found \(peer.name) \(peer.info ?? [:])")
          let session = try await bob.makeSession()
          let outcome = try await bob.invite(peer.id, to: session)
          note("bob's invitation: \(outcome)")
          try await session.send(Array("abc".utf8))
          for await activity in session.activity {
            note("bob: \(activity.text)")
            if case .message = activity { await bob.stop() }
          }
          note("bob's session ended")
        }
      } catch { note("bob failed: \(error)") }
    }
    world.run(for: .seconds(40))
    let lines = log.withLock { $0 }
    world.finish()
    #expect(lines.contains { $0.hasSuffix("bob: message abcabc") })
    #expect(lines.contains { $0.hasSuffix("ann: left") })
  }
}
