import Earshot
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

@Suite("The port of discovery, when another program holds it alone")
struct PortTests {
  private let world = World(seed: 1)

  private static func hold(_ host: SimulatedHost) throws(NetworkError) -> any DatagramSocket {
    try host.openDatagramSocket(
      on: Endpoint(.anyV4, port: 5353), options: DatagramOptions(), handler: SilentHandler())
  }

  @Test("Advertising and browsing fail with what is wrong, and work once the port is free")
  func taken() throws {
    final class Seen: Sendable { let lines = Mutex<[String]>([]) }
    let seen = Seen()
    let host = world.makeHost("ann")
    host.addTask("ann") {
      func note(_ line: String) { seen.lines.withLock { $0.append(line) } }
      do {
        let peer = try await Peer("Ann", trusting: .anyPeer, on: host)
        let other = try Self.hold(host)
        do throws(EarshotError) { _ = try await peer.browse("chat") } catch {
          let isClear = error.cause?.code == .addressInUse && error.message.contains("5353")
          note("\(error.code.name) \(isClear)")
        }
        do throws(EarshotError) { _ = try await peer.advertise("chat") } catch {
          note(error.code.name)
        }
        note("\(await peer.discoveryProblem == nil)")
        other.close()
        let advertiser = try await peer.advertise("chat")
        let browser = try await peer.browse("chat")
        note("\(await peer.discoveryProblem == nil)")
        await advertiser.stop()
        await browser.stop()
      } catch { note("failed, \(error)") }
    }
    world.run(for: .seconds(60))
    #expect(
      seen.lines.withLock { $0 }
        == ["discoveryUnavailable true", "discoveryUnavailable", "true", "true"])
    world.finish()
  }

  @Test(
    "A peer that lost the port in its sleep says so, and is found within ten seconds of its release"
  )
  func lostInSleep() throws {
    final class Seen: Sendable { let lines = Mutex<[String]>([]) }
    let seen = Seen()
    let host = world.makeHost("ann")
    let far = world.makeHost("bob")
    far.addTask("bob") {
      guard let browser = try? await Peer("Bob", trusting: .anyPeer, on: far).browse("chat") else {
        return
      }
      for await event in browser.events {
        switch event {
        case .found: seen.lines.withLock { $0.append("found") }
        case .updated: seen.lines.withLock { $0.append("updated") }
        case .lost: seen.lines.withLock { $0.append("lost") }
        case .unavailable: seen.lines.withLock { $0.append("unavailable") }
        case .available: seen.lines.withLock { $0.append("available") }
        }
      }
    }
    host.addTask("ann") {
      func note(_ line: String) { seen.lines.withLock { $0.append(line) } }
      do {
        let peer = try await Peer("Ann", trusting: .anyPeer, on: host)
        let advertiser = try await peer.advertise("chat")
        try await host.sleep(for: .seconds(5))
        await peer.suspend()
        let other = try Self.hold(host)
        try await host.sleep(for: .seconds(5))
        try await peer.resume()
        note(await peer.discoveryProblem?.code.name ?? "none")
        try await host.sleep(for: .seconds(300))
        note(await peer.discoveryProblem?.code.name ?? "none")
        other.close()
        note("free")
        try await host.sleep(for: .seconds(10))
        note(await peer.discoveryProblem?.code.name ?? "none")
        await advertiser.stop()
      } catch { note("failed, \(error)") }
    }
    world.run(for: .seconds(400))
    #expect(
      seen.lines.withLock { $0 } == [
        "found", "lost", "discoveryUnavailable", "discoveryUnavailable", "free", "found", "none",
        "lost",
      ])
    world.finish()
  }
}
