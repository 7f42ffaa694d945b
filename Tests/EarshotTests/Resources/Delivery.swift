import Earshot
import EarshotNetwork
import EarshotSimulator
import Foundation
import Testing

/// Two members of a session and their disks; Bob sends files to Ann.
struct Delivery: Sendable {
  let pair: StreamPair
  let world: World
  /// The hosts of Ann and of Bob; of a host that has started again the first one.
  let (ann, bob): (SimulatedHost, SimulatedHost)

  static let inbox = URL(filePath: "/inbox", directoryHint: .isDirectory)
  static let source = URL(filePath: "/home/file.bin", directoryHint: .notDirectory)

  /// Has both play in a world of their own, and waits until they are done.
  static func play(
    seed: UInt64 = 9, over links: LinkConditions = .lan, within limit: Duration = .seconds(600),
    configuration: Session.Configuration = Session.Configuration(),
    storage: StorageConditions = StorageConditions(),
    _ body: @escaping @Sendable (Delivery) async throws -> Void
  ) throws {
    try StreamPair.play(seed: seed, over: links, within: limit, configuration: configuration) {
      pair, world in
      let delivery = Delivery(pair: pair, world: world, ann: world.hosts[0], bob: world.hosts[1])
      delivery.ann.disk.makeFolder(at: "/inbox")
      delivery.ann.disk.conditions = storage
      try await body(delivery)
    }
  }

  /// Bytes of which no two blocks of 4 KiB are alike.
  static func bytes(_ count: Int, from start: Int = 0) -> [UInt8] {
    let block = StreamPair.bytes(4_096, from: start)
    var bytes = [UInt8](repeating: 0, count: count)
    for offset in stride(from: 0, to: count, by: block.count) {
      let end = min(count, offset + block.count)
      bytes.replaceSubrange(offset..<end, with: block[..<(end - offset)])
      withUnsafeBytes(of: UInt32(offset / block.count).bigEndian) { number in
        for (index, byte) in number.enumerated() where offset + index < end {
          bytes[offset + index] ^= byte
        }
      }
    }
    return bytes
  }

  /// Writes Bob's file.
  @discardableResult
  func write(_ count: Int, from start: Int = 0, to path: String = "/home/file.bin") -> [UInt8] {
    let bytes = Self.bytes(count, from: start)
    bob.disk.write(bytes, to: path)
    return bytes
  }

  /// Makes Bob's file by calls of his storage.
  ///
  /// - Returns: The file, which can be changed further.
  func make(_ body: @escaping @Sendable (any StorageFile) throws -> Void) async throws
    -> any StorageFile
  {
    bob.disk.makeFolder(at: "/home")
    let storage = bob.storage
    return try await bob.offload {
      let file = try storage.openFolder(at: "/home").createFile("file.bin")
      try body(file)
      return file
    }
  }

  /// Has Bob send his file.
  func send(named label: String? = nil, at url: URL = source) async throws -> ResourceTransfer {
    try await pair.guest.sendResource(at: url, named: label, to: pair.ann.id)
  }

  /// Has Bob send bytes.
  func sendData(_ bytes: [UInt8], named label: String) throws -> ResourceTransfer {
    try pair.guest.sendResource(bytes, named: label, to: pair.ann.id)
  }

  /// Has Bob send his file to a peer that is no member.
  func sendToStranger() async throws {
    try await pair.guest.sendResource(at: Self.source, to: pair.bob.id)
  }

  /// The next offer that Ann gets.
  func offer() async throws -> ResourceOffer {
    for await offer in pair.host.resources { return offer }
    throw StreamPair.Missing()
  }

  /// Has Bob send his file, and Ann accept it.
  func begin(named label: String? = nil) async throws -> (
    bobs: ResourceTransfer, anns: ResourceTransfer
  ) {
    let bobs = try await send(named: label)
    return (bobs, try await offer().accept(into: Self.inbox))
  }

  /// Waits until a transfer is in a state.
  @discardableResult
  func wait(
    for transfer: ResourceTransfer, _ condition: @Sendable (ResourceProgress) -> Bool
  ) async throws -> ResourceProgress {
    for await progress in transfer.progress where condition(progress) { return progress }
    throw StreamPair.Missing()
  }

  /// Has something done beside the rest, on Ann's host.
  func start<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result
  ) -> Task<Result, Never> {
    Task(executorPreference: ann.executor.task) { await body() }
  }

  /// What there is in Ann's folder, hidden files included.
  var received: [String] { ann.disk.names(in: "/inbox") }
}
