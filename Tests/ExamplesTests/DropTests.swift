import DropExample
import Earshot
import EarshotPOSIX
import EarshotTesting
import Foundation
import Testing

@Suite("The drop", .timeLimit(.minutes(30)))
struct DropTests {
  @Test("Over sockets, a file is offered, accepted, and whole at the other side")
  func sockets() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = Data(Self.bytes(5_000_000))
    let source = folder.appending(path: "source.bin")
    try bytes.write(to: source)
    let hosts = try (0..<2).map { _ in try POSIXHost(.init(interfaces: ["lo"])) }
    let (ann, bob) = (try await Drop("Ann", on: hosts[0]), try await Drop("Bob", on: hosts[1]))
    try await Self.hasFound(ann, from: bob)
    let sent = try await bob.send(source, to: ann.peer.id)
    #expect(sent.currentProgress.sentence == "waiting for an answer")
    let offer = try #require(await ann.offers.first { _ in true })
    let taken = try await offer.accept(into: folder, as: "copy.bin")
    let place = try #require(try await taken.completed().file)
    #expect(try await sent.completed().byteCount == 5_000_000)
    #expect(try Data(contentsOf: place) == bytes)
    #expect(taken.currentProgress.sentence == "100 %")
    await bob.stop()
    await ann.stop()
    for host in hosts { await host.shutDown() }
  }

  @Test("Whatever befalls them, files arrive whole or are declined", .simulated(seeds: 200))
  func faults() throws {
    let world = World.current
    let (ann, bob) = try (start("ann", in: world), start("bob", in: world))
    let (count, bytes) = (3, Self.bytes(1_500_000))
    for number in 0..<count { bob.host.disk.write(bytes, to: "/home/\(number).bin") }
    ann.host.disk.makeFolder(at: "/in")
    ann.host.addTask("answers") {
      for await offer in ann.drop.offers {
        guard offer.label != "1.bin" else {
          offer.decline("not that one")
          continue
        }
        try await offer.accept(into: URL(filePath: "/in"))
      }
    }
    world.run(for: .seconds(5))
    var trouble = Trouble(in: world, [ann.app, bob.app])
    let isOver = trouble.strike(4, for: .seconds(10), longest: .seconds(8))
    let sending = bob.host.addTask("sends") { () async throws -> [EarshotError.Code?] in
      var codes: [EarshotError.Code?] = []
      for number in 0..<count {
        codes.append(try await bob.deliver("/home/\(number).bin", to: ann.drop.peer.id))
      }
      return codes
    }
    world.run(until: isOver)
    let isDone = world.run(until: { sending.result != nil }, within: .seconds(60))
    #expect(isDone)
    #expect(try sending.value == [nil, .resourceDeclined, nil])
    #expect(ann.host.disk.names(in: "/in").sorted() == ["0.bin", "2.bin"])
    for number in [0, 2] { #expect(ann.host.disk.bytes(of: "/in/\(number).bin") == bytes) }
  }

  @Test(
    "Either side cancels, and nothing is left", .simulated(seeds: 20), arguments: [true, false])
  func cancelled(bySender: Bool) throws {
    let world = World.current
    let (ann, bob) = try (start("ann", in: world), start("bob", in: world))
    world.setLink(
      between: ann.host, and: bob.host,
      LinkConditions(latency: .milliseconds(5), bandwidth: 500_000))
    bob.host.disk.write(Self.bytes(5_000_000), to: "/home/big")
    ann.host.disk.makeFolder(at: "/in")
    world.run(for: .seconds(3))
    let (sender, receiver) = (
      bob.host.addTask("sends") { () async throws -> (String, EarshotError.Code?) in
        let transfer = try await bob.drop.send(URL(filePath: "/home/big"), to: ann.drop.peer.id)
        try await bob.host.sleep(for: .seconds(2))
        let sentence = transfer.currentProgress.sentence
        if bySender { transfer.cancel() }
        return (sentence, await bob.code(of: transfer))
      },
      ann.host.addTask("takes") { () async throws -> EarshotError.Code? in
        guard let offer = await ann.drop.offers.first(where: { _ in true }) else { return nil }
        let transfer = try await offer.accept(into: URL(filePath: "/in"))
        try await ann.host.sleep(for: .seconds(3))
        if !bySender { transfer.cancel() }
        return await ann.code(of: transfer)
      }
    )
    world.run(for: .seconds(30))
    let (sentence, code) = try sender.value
    #expect(sentence.hasSuffix(" s left"))
    #expect(code == (bySender ? .cancelled : .resourceCancelled))
    #expect(try receiver.value == (bySender ? .resourceCancelled : .cancelled))
    #expect(ann.host.disk.names(in: "/in").isEmpty)
  }

  // MARK: Two people

  /// A drop on a simulated host.
  private struct Place: Sendable {
    let host: SimulatedHost
    let drop: Drop

    var app: App {
      App(host, suspend: { await drop.suspend() }) { try await drop.resume() }
    }

    /// How a transfer has failed; `nil` if it has not.
    func code(of transfer: ResourceTransfer) async -> EarshotError.Code? {
      do throws(EarshotError) {
        try await transfer.completed()
        return nil
      } catch {
        return error.code
      }
    }

    /// Sends a file, again while the other peer cannot be reached, as a person would.
    func deliver(_ path: String, to id: PeerID) async throws -> EarshotError.Code? {
      while true {
        do {
          let transfer = try await drop.send(URL(filePath: path), to: id)
          let code = await code(of: transfer)
          if code != .notConnected { return code }
        } catch let error as EarshotError where error.code == .cancelled {
          return error.code
        } catch {}
        try await host.sleep(for: .milliseconds(500))
      }
    }
  }

  private func start(_ name: String, in world: World) throws -> Place {
    let host = world.makeHost(name)
    let start = host.addTask("start") { () async throws -> Drop in try await Drop(name, on: host) }
    world.run(for: .zero)
    return Place(host: host, drop: try start.value)
  }

  private static func hasFound(_ other: Drop, from drop: Drop) async throws {
    for await peers in drop.nearby where peers.contains(where: { $0.id == other.peer.id }) {
      return
    }
  }

  private static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }
  }
}
