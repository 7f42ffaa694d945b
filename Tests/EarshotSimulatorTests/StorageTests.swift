import EarshotNetwork
import EarshotSimulator
import TestKit
import Testing

/// Opens the root of a host.
private func root(_ host: SimulatedHost) throws -> any StorageFolder {
  try host.storage.openFolder(at: "/")
}

/// The code of the error that a call throws; `nil` if it throws none.
private func code(_ call: () throws -> Void) -> StorageError.Code? {
  do { try call() } catch { return (error as? StorageError)?.code }
  return nil
}

@Suite("The disk of a simulated host")
struct StorageTests {
  private static func host(_ conditions: StorageConditions = StorageConditions()) -> (
    World, SimulatedHost
  ) {
    var configuration = WorldConfiguration()
    configuration.storage = conditions
    let world = World(seed: 1, configuration: configuration)
    return (world, world.makeHost("ann"))
  }

  // MARK: Bytes

  @Test(
    "A file has the bytes that were written, and holes are zeros that are not stored",
    arguments: Seed.some(100))
  func bytes(seed: Seed) throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    var random = seed.generator
    let file = try root(ann).createFile("a")
    var model: [UInt8] = []
    for _ in 0..<20 {
      let place = Int(random.below(40_000))
      if random.chance(.percent(30)) {
        try file.resize(to: Int64(place))
        model = Array(model.prefix(place)) + zeros(place - model.count)
      } else {
        let bytes = (0..<random.below(9_000)).map { _ in UInt8(1 + random.below(255)) }
        let written = try file.write(bytes.span, at: Int64(place))
        #expect(written == bytes.count)
        guard written > 0 else { continue }
        model += zeros(place - model.count)
        model.replaceSubrange(place..<min(model.count, place + written), with: bytes)
      }
    }
    #expect(ann.disk.bytes(of: "/a") == model)
    let attributes = try file.attributes()
    #expect(attributes.byteCount == model.count)
    let from = random.below(50_000)
    #expect(try file.read(.max, at: Int64(from)) == Array(model.dropFirst(Int(from))))
    // What is in no stretch is a hole.
    var (offset, stored) = (Int64(0), Int64(0))
    while let stretch = try file.data(from: offset) {
      #expect(stretch.lowerBound >= offset && !stretch.isEmpty)
      #expect(model[Int(offset)..<Int(stretch.lowerBound)].allSatisfy { $0 == 0 })
      stored += stretch.upperBound - stretch.lowerBound
      offset = stretch.upperBound
    }
    #expect(model.dropFirst(Int(offset)).allSatisfy { $0 == 0 })
    #expect((0..<4_096).contains(attributes.storedByteCount - stored))
  }

  private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: max(0, count)) }

  @Test("A hole of terabytes takes no room, and the byte after it is found at once")
  func sparse() throws {
    let (world, ann) = Self.host(StorageConditions(capacityBytes: 8_192))
    defer { world.finish() }
    let file = try root(ann).createFile("a")
    let end: Int64 = 8 << 40
    try file.resize(to: end)
    #expect(try file.data(from: 0) == nil)
    #expect(try file.write([7].span, at: end - 1) == 1)
    #expect(try file.data(from: 0) == end - 4_096..<end)
    #expect(try file.data(from: end - 1) == end - 1..<end)
    #expect(try file.data(from: end) == nil)
    #expect(try file.read(3, at: end / 2) == [0, 0, 0])
    #expect(try file.read(9, at: end - 2) == [0, 7])
    #expect(try file.attributes().storedByteCount == 4_096)
    try file.resize(to: 1)
    #expect(try file.data(from: 0) == nil)
    #expect(ann.disk.freeBytes == 8_192)
  }

  @Test("A file is no longer than 16 TiB less a block")
  func longest() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    let file = try root(ann).createFile("a")
    let limit: Int64 = 16 << 40 - 4_096
    try file.resize(to: limit)
    #expect(code { try file.resize(to: limit + 1) } == .fileTooLarge)
    #expect(try file.write([1, 2].span, at: limit - 1) == 1)
    #expect(code { _ = try file.write([1].span, at: limit) } == .fileTooLarge)
    #expect(try file.attributes().byteCount == limit)
  }

  // MARK: Room

  @Test("A write beyond the capacity stores what fits, further ones fail as full")
  func capacity() throws {
    let (world, ann) = Self.host(StorageConditions(capacityBytes: 3 * 4_096 + 100))
    defer { world.finish() }
    let folder = try root(ann)
    #expect(try folder.freeBytes() == 3 * 4_096)
    let file = try folder.createFile("a")
    #expect(try file.write([UInt8](repeating: 7, count: 20_000).span, at: 4_000) == 8_288)
    #expect(try folder.freeBytes() == 0)
    #expect(code { _ = try file.write([7].span, at: 12_288) } == .full)
    // What is stored can be replaced.
    #expect(try file.write([8, 8].span, at: 12_287) == 1)
    #expect(try file.attributes().byteCount == 12_288)
    try file.resize(to: 4_096)
    #expect(try folder.freeBytes() == 2 * 4_096)
    #expect(try file.write([7].span, at: 50_000) == 1)
  }

  @Test("A removed file takes room until it is closed, or until its host crashes")
  func removed() throws {
    let (world, ann) = Self.host(StorageConditions(capacityBytes: 8_192))
    defer { world.finish() }
    let folder = try root(ann)
    var files: [any StorageFile] = []
    for name in ["a", "b"] {
      let file = try folder.createFile(name)
      _ = try file.write([1].span, at: 0)
      try folder.remove(name)
      files.append(file)
    }
    #expect(try folder.freeBytes() == 0)
    #expect(try files[0].read(1, at: 0) == [1])
    files.removeFirst()
    #expect(try folder.freeBytes() == 4_096)
    world.crash(ann)
    #expect(ann.disk.freeBytes == 8_192)
    files = []
    #expect(ann.disk.freeBytes == 8_192)
  }

  @Test("A capacity that is set lower than what is stored leaves files, and no room")
  func lowered() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    ann.disk.write([1, 2, 3], to: "/a")
    ann.disk.conditions.capacityBytes = 0
    #expect(ann.disk.bytes(of: "/a") == [1, 2, 3] && ann.disk.freeBytes == 0)
    let file = try root(ann).createFile("b")
    #expect(code { _ = try file.write([1].span, at: 0) } == .full)
    ann.disk.conditions.capacityBytes = 8_192
    #expect(try file.write([1].span, at: 0) == 1)
  }

  // MARK: Names

  @Test(
    "A name that no entry can have is refused everywhere",
    arguments: ["", ".", "..", "a/b", "/", "a\0b", String(repeating: "ä", count: 128)])
  func names(name: String) throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    ann.disk.write([1], to: "/a")
    let folder = try root(ann)
    #expect(code { _ = try folder.createFile(name) } == .invalidName)
    #expect(code { try folder.rename(name, to: "b", replacing: true) } == .invalidName)
    #expect(code { try folder.rename("a", to: name, replacing: true) } == .invalidName)
    #expect(code { try folder.remove(name) } == .invalidName)
    #expect(code { _ = try folder.removeAbandoned(name) } == .invalidName)
    #expect(try folder.names(withPrefix: "") == ["a"])
  }

  @Test("Two names of different bytes are two names, however they are spelled")
  func spelling() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    let folder = try root(ann)
    for name in ["\u{E9}", "e\u{301}", "E\u{301}"] { _ = try folder.createFile(name) }
    #expect(ann.disk.names(in: "/").count == 3)
    #expect(try folder.names(withPrefix: "e").map { Array($0.utf8) } == [Array("e\u{301}".utf8)])
  }

  @Test("Paths are resolved as text, and lead through folders alone")
  func paths() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    ann.disk.write([1], to: "/x/./y/../a.txt")
    #expect(ann.disk.names(in: "/x") == ["a.txt"] && ann.disk.names(in: "/y") == [])
    for path in ["/x/a.txt", "x//a.txt", "/../x/b/../a.txt"] {
      #expect(try ann.storage.openFile(at: path).read(9, at: 0) == [1])
    }
    for (path, expected) in [
      ("", .notFound), ("/", .notFile), ("/x", .notFile), ("/b", .notFound), ("/b/c", .notFound),
      ("/x/a.txt/", .notFolder), ("/x/a.txt/b", .notFolder), ("/x/a.txt/.", .notFolder),
      (String(repeating: "/x", count: 2_048), .invalidName),
    ] as [(String, StorageError.Code)] {
      #expect(code { _ = try ann.storage.openFile(at: path) } == expected, "\(path)")
    }
    #expect(code { _ = try ann.storage.openFolder(at: "/x/a.txt") } == .notFolder)
    #expect(code { _ = try ann.storage.openFolder(at: "/b") } == .notFound)
  }

  @Test("A folder is found at its path until it is removed, whatever takes its place")
  func found() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    ann.disk.makeFolder(at: "/x/y")
    let folder = try ann.storage.openFolder(at: "/x/y")
    #expect(folder.isFound(at: "/x/y") && folder.isFound(at: "/x/y/") && !folder.isFound(at: "/x"))
    ann.disk.remove("/x")
    ann.disk.makeFolder(at: "/x/y")
    #expect(!folder.isFound(at: "/x/y"))
    #expect(code { _ = try folder.createFile("a") } == .notFound)
    #expect(code { _ = try folder.names(withPrefix: "") } == .notFound)
  }

  @Test("A rename replaces a file only where it is told to, and a folder never")
  func rename() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    for name in ["a", "b"] { ann.disk.write(Array(name.utf8), to: "/\(name)") }
    ann.disk.makeFolder(at: "/x")
    let (folder, old) = (try root(ann), try ann.storage.openFile(at: "/b"))
    #expect(code { try folder.rename("a", to: "b", replacing: false) } == .exists)
    #expect(code { try folder.rename("a", to: "a", replacing: false) } == .exists)
    #expect(code { try folder.rename("a", to: "x", replacing: false) } == .exists)
    #expect(code { try folder.rename("a", to: "x", replacing: true) } == .isFolder)
    #expect(code { try folder.rename("c", to: "b", replacing: true) } == .notFound)
    #expect(code { try folder.remove("x") } == .isFolder)
    try folder.rename("a", to: "a", replacing: true)
    #expect(ann.disk.names(in: "/") == ["a", "b", "x"])
    try folder.rename("a", to: "b", replacing: true)
    #expect(ann.disk.names(in: "/") == ["b", "x"] && ann.disk.bytes(of: "/b") == [97])
    #expect(try old.read(1, at: 0) == [98])
    try folder.rename("b", to: "c", replacing: false)
    #expect(ann.disk.names(in: "/") == ["c", "x"])
  }

  // MARK: Attributes

  @Test("Files have the times of the world, which begins in 2026, and numbers of their own")
  func attributes() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    let beginning: Int64 = 1_767_225_600_000_000_000
    let file = try root(ann).createFile("a")
    world.run(for: .seconds(2))
    _ = try file.write([1].span, at: 0)
    #expect(try file.attributes().modified == beginning + 2_000_000_000)
    world.run(for: .seconds(1))
    try file.set(modified: 12, isExecutable: true)
    let attributes = try file.attributes()
    #expect(attributes.modified == 12 && attributes.changed == beginning + 3_000_000_000)
    #expect(attributes.isExecutable && ann.disk.attributes(of: "/a") == attributes)
    try file.set(modified: nil, isExecutable: false)
    #expect(try file.attributes().modified == 12 && !file.attributes().isExecutable)
    let other = try root(ann).createFile("b")
    let bob = world.makeHost("bob")
    bob.disk.write([], to: "/a")
    #expect(try other.attributes().number != attributes.number)
    #expect(try other.attributes().device == attributes.device)
    #expect(bob.disk.attributes(of: "/a")?.device != attributes.device)
  }

  @Test("A file that was opened to be read is not written")
  func readOnly() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    ann.disk.write([1], to: "/a")
    let file = try ann.storage.openFile(at: "/a")
    #expect(code { _ = try file.write([2].span, at: 0) } == .other)
    #expect(code { try file.resize(to: 0) } == .other)
    #expect(ann.disk.bytes(of: "/a") == [1])
  }

  // MARK: Reservations and crashes

  @Test("A file is abandoned once the object that created it is released, or its host crashes")
  func abandoned() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    let folder = try root(ann)
    var file: (any StorageFile)? = try folder.createFile("a")
    #expect(try !folder.removeAbandoned("a"))
    try folder.rename("a", to: "b", replacing: false)
    let reader = try ann.storage.openFile(at: "/b")
    #expect(try !folder.removeAbandoned("b"))
    file = nil
    #expect(try folder.removeAbandoned("b"))
    #expect(try !folder.removeAbandoned("b"))
    file = try folder.createFile("c")
    world.crash(ann)
    let again = try root(world.restart(ann))
    #expect(try again.removeAbandoned("c") && ann.disk.names(in: "/") == [])
    withExtendedLifetime((file, reader)) {}
  }

  @Test("What a host opened before a crash throws hostDown, changes nothing, and closes nothing")
  func generations() throws {
    let (world, ann) = Self.host()
    defer { world.finish() }
    let (storage, folder) = (ann.storage, try root(ann))
    var file: (any StorageFile)? = try folder.createFile("a")
    _ = try file?.write([1].span, at: 0)
    let anew = world.restart(ann)
    let count = anew.disk.callCount
    #expect(code { _ = try storage.openFile(at: "/a") } == .hostDown)
    #expect(code { _ = try storage.openFolder(at: "/") } == .hostDown)
    #expect(!folder.isFound(at: "/"))
    #expect(code { _ = try folder.createFile("b") } == .hostDown)
    #expect(code { try folder.remove("a") } == .hostDown)
    #expect(code { _ = try file?.write([2].span, at: 0) } == .hostDown)
    #expect(code { try file?.synchronize() } == .hostDown)
    #expect(anew.disk.bytes(of: "/a") == [1] && anew.disk.names(in: "/") == ["a"])
    #expect(anew.disk.callCount == count)
    let folderAnew = try root(anew)
    try folderAnew.remove("a")
    let fileAnew = try folderAnew.createFile("a")
    file = nil
    #expect(try !folderAnew.removeAbandoned("a"))
    withExtendedLifetime(fileAnew) {}
  }

  @Test("A restart keeps what is stored; one that erases the host leaves an empty disk")
  func restarts() throws {
    let (world, ann) = Self.host(StorageConditions(capacityBytes: 8_192))
    defer { world.finish() }
    ann.disk.conditions.latency = .seconds(1)
    let file = try root(ann).createFile("a")
    _ = try file.write([1].span, at: 0)
    let kept = world.restart(ann)
    #expect(kept.disk.bytes(of: "/a") == [1] && kept.disk.freeBytes == 4_096)
    kept.disk.makeFolder(at: "/x")
    let erased = world.restart(kept, erased: true)
    #expect(erased.disk.names(in: "/") == [] && erased.disk.freeBytes == 8_192)
    #expect(erased.disk.conditions.latency == .seconds(1))
    #expect(try root(erased).names(withPrefix: "") == [])
  }

  @Test("Every call after the end of the world throws hostDown; the disk can be looked at")
  func endOfWorld() throws {
    let (world, ann) = Self.host()
    let folder = try root(ann)
    ann.disk.write([1], to: "/a")
    world.finish()
    #expect(code { _ = try folder.names(withPrefix: "") } == .hostDown)
    #expect(code { _ = try ann.storage.openFile(at: "/a") } == .hostDown)
    #expect(ann.disk.bytes(of: "/a") == [1])
  }

  @Test("What tests do to a disk is not counted, and is there at once")
  func outside() {
    let (world, ann) = Self.host()
    defer { world.finish() }
    ann.disk.write([1], to: "/x/a")
    ann.disk.write([2], to: "/x/a")
    ann.disk.makeFolder(at: "/x/y/z")
    #expect(ann.disk.names(in: "/x") == ["a", "y"] && ann.disk.bytes(of: "/x/a") == [2])
    #expect(ann.disk.bytes(of: "/x") == nil && ann.disk.attributes(of: "/x/y") == nil)
    ann.disk.remove("/x/y")
    ann.disk.remove("/nothing/at/all")
    #expect(ann.disk.names(in: "/x") == ["a"])
    ann.disk.remove("/")
    #expect(ann.disk.names(in: "/") == [] && ann.disk.callCount == 0)
  }
}
