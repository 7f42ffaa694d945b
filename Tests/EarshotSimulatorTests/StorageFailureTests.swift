import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

@Suite("Failures of a simulated disk, and crashes at its calls")
struct StorageFailureTests {
  private static let bytes = [UInt8](repeating: 7, count: 10_000)

  /// Receives a file as a program does: under another name until it is complete.
  @Sendable private static func receive(_ host: SimulatedHost) throws {
    let folder = try host.storage.openFolder(at: "/in")
    guard folder.isFound(at: "/in") else { throw StorageError(.notFound, call: "find /in") }
    for name in try folder.names(withPrefix: "part-") { _ = try folder.removeAbandoned(name) }
    guard try folder.freeBytes() > 10_000 else { throw StorageError(.full, call: "ask for room") }
    let file = try folder.createFile("part-1")
    do {
      _ = try file.write(bytes.span.extracting(first: 6_000), at: 0)
      _ = try file.write(bytes.span.extracting(droppingFirst: 6_000), at: 6_000)
      try file.resize(to: 10_000)
      guard try file.data(from: 0) == 0..<10_000 else { throw StorageError(.other, call: "check") }
      try file.set(modified: 12, isExecutable: true)
      try file.synchronize()
      guard try file.attributes().byteCount == 10_000, try file.read(1, at: 9_999) == [7] else {
        throw StorageError(.other, call: "check")
      }
      try folder.rename("part-1", to: "a", replacing: true)
    } catch {
      try? folder.remove("part-1")
      throw error
    }
    try folder.synchronize()
  }

  private static func world() -> World {
    let world = World(seed: 1)
    world.makeHost("ann") { host, start in
      host.addTask("receive") {
        do {
          try await host.offload { try receive(host) }
        } catch { host.disk.write([], to: "/failed") }
      }
    }
    world.hosts[0].disk.write([1], to: "/in/part-0")
    return world
  }

  /// How many calls a program makes to receive a file.
  private static let calls: Int = {
    let world = Self.world()
    defer { world.finish() }
    world.run(for: .seconds(1))
    return world.hosts[0].disk.callCount
  }()

  // MARK: Every call

  @Test("A call of each kind fails, and the program leaves a whole file or none")
  func everyFailure() {
    #expect(Self.calls == 16)
    for number in 1...Self.calls {
      let world = Self.world()
      defer { world.finish() }
      let disk = world.hosts[0].disk
      disk.fail(number: number, with: .other)
      world.run(for: .seconds(1))
      #expect(disk.bytes(of: "/failed") != nil, "call \(number)")
      let bytes = disk.bytes(of: "/in/a")
      #expect(bytes == nil || bytes == Self.bytes, "call \(number)")
      #expect(!disk.names(in: "/in").contains("part-1"), "call \(number)")
      #expect(disk.callCount >= number)
    }
  }

  @Test("A host crashes at each call, and its program completes the file when it starts again")
  func everyCrash() {
    for number in 1...Self.calls {
      let world = Self.world()
      defer { world.finish() }
      let ann = world.hosts[0]
      ann.disk.crashHost(number: number)
      world.run(for: .seconds(1))
      #expect(!ann.isUp && ann.disk.bytes(of: "/failed") == nil, "call \(number)")
      #expect(ann.disk.callCount == number)
      world.restart(ann)
      world.run(for: .seconds(1))
      #expect(ann.disk.names(in: "/") == ["in"] && ann.disk.names(in: "/in") == ["a"])
      #expect(ann.disk.bytes(of: "/in/a") == Self.bytes && world.hosts[0].isUp)
    }
  }

  // MARK: Plans

  @Test("A planned failure comes at its call, once, with no other effect", arguments: 1...3)
  func once(number: Int) throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let folder = try ann.storage.openFolder(at: "/")
    ann.disk.fail(.createFile, number: number, with: .permissionDenied)
    var refused: [Int] = []
    for attempt in 1...4 {
      _ = folder.isFound(at: "/")
      do { _ = try folder.createFile("\(attempt)") } catch {
        #expect(error.code == .permissionDenied)
        #expect(error.errno == 13)
        refused.append(attempt)
      }
    }
    #expect(refused == [number])
    #expect(ann.disk.names(in: "/") == (1...4).filter { $0 != number }.map(String.init))
    #expect(ann.disk.callCount(of: .createFile) == 4 && ann.disk.callCount == 9)
  }

  @Test("Of several plans for one call the first one counts; forgotten plans count no more")
  func several() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let folder = try ann.storage.openFolder(at: "/")
    ann.disk.fail(.freeBytes, with: .permissionDenied)
    ann.disk.fail(number: 1, with: .other)
    ann.disk.fail(.names, number: 2, with: .other)
    #expect(throws: StorageError(.permissionDenied, call: "statvfs /", errno: 13)) {
      try folder.freeBytes()
    }
    #expect(try folder.freeBytes() > 0)
    _ = try folder.names(withPrefix: "")
    ann.disk.forgetPlannedFailures()
    _ = try folder.names(withPrefix: "")
    ann.disk.fail(.isFound, with: .notFound)
    #expect(!folder.isFound(at: "/") && folder.isFound(at: "/"))
  }

  @Test("A crash in a body comes when the body has returned, with all later calls failed")
  func inBody() {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let log = Mutex<[String]>([])
    ann.disk.crashHost(at: .createFile)
    ann.beginOffloaded {
      for name in ["a", "b"] {
        do throws(StorageError) { _ = try ann.storage.openFolder(at: "/").createFile(name) } catch {
          log.withLock { $0.append("\(name) \(error.code.name)") }
        }
      }
      log.withLock { $0.append("\(ann.isUp)") }
      return { log.withLock { $0.append("end") } }
    }
    ann.beginOffloaded {
      log.withLock { $0.append("second") }
      return {}
    }
    world.run(for: .seconds(1))
    #expect(log.withLock { $0 } == ["a hostDown", "b hostDown", "true"])
    #expect(!ann.isUp && ann.disk.names(in: "/") == [])
  }

  @Test("A crash at a call outside of a body comes at the same instant")
  func outsideOfBody() {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    ann.disk.crashHost()
    let log = Mutex<[String]>([])
    ann.addTask("task") {
      do throws(StorageError) { _ = try ann.storage.openFolder(at: "/") } catch {
        log.withLock { $0.append(error.code.name) }
      }
      try await ann.sleep(for: .nanoseconds(1))
      log.withLock { $0.append("awake") }
    }
    world.run(for: .seconds(1))
    #expect(log.withLock { $0 } == ["hostDown"] && !ann.isUp)
    let again = world.restart(ann)
    #expect(throws: Never.self) { try again.storage.openFolder(at: "/") }
  }

  // MARK: Faults

  @Test("A full disk has no room until the fault ends, also after a restart")
  func fullDisk() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let file = try ann.storage.openFolder(at: "/").createFile("a")
    _ = try file.write([1].span, at: 0)
    let faults = (0..<2).map { _ in world.inject(.hosts(["ann"], .fullDisk)) }
    #expect(throws: StorageError(.full, call: "write /a", errno: 28)) {
      try file.write([1].span, at: 4_096)
    }
    #expect(try file.write([2].span, at: 1) == 1)
    faults[0].end()
    #expect(ann.disk.freeBytes == 0)
    let again = try world.restart(ann).storage.openFolder(at: "/")
    #expect(try again.freeBytes() == 0)
    faults[1].end()
    let other = try again.createFile("b")
    #expect(try other.write([2].span, at: 0) == 1)
  }

  @Test("A failing disk neither reads nor writes until the fault ends, and does all else")
  func failingDisk() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    ann.disk.write([1], to: "/b")
    let fault = world.inject(.hosts(["ann"], .failingDisk))
    let folder = try ann.storage.openFolder(at: "/")
    let (file, other) = (try folder.createFile("a"), try ann.storage.openFile(at: "/b"))
    #expect(throws: StorageError(.other, call: "write /a", errno: 5)) {
      try file.write([1].span, at: 0)
    }
    #expect(throws: StorageError(.other, call: "read /b", errno: 5)) { try other.read(1, at: 0) }
    fault.end()
    #expect(try file.write([1].span, at: 0) == 1 && other.read(1, at: 0) == [1])
  }

  @Test("A slow disk takes longer for what begins until the fault ends, by all factors together")
  func slowDisk() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    func time() throws -> Duration {
      let task = ann.addTask("open") {
        let begin = ann.now
        _ = try await ann.offload { try ann.storage.openFolder(at: "/") }
        return ann.now - begin
      }
      world.run(for: .seconds(1))
      return try task.value
    }
    let faults = [10, 5].map { world.inject(.hosts(["ann"], .slowDisk(factor: $0))) }
    #expect(try time() == .milliseconds(1))
    faults[0].end()
    #expect(try time() == .microseconds(100))
    world.endFaults()
    #expect(try time() == .microseconds(20))
    #expect(!faults[1].isActive)
  }
}
