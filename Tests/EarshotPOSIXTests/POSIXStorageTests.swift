import EarshotNetwork
import EarshotPOSIX
import Foundation
import TestKit
import Testing

@Suite("Real files", .timeLimit(.minutes(30)))
struct POSIXStorageTests {
  let storage: any Storage
  private let place = TemporaryFolder()

  init() throws { storage = try POSIXHost(.loopback).storage }

  /// Runs a test in a folder that is removed afterwards.
  func run(
    _ test: (_ folder: any StorageFolder, _ path: String) async throws -> Void
  ) async throws {
    defer { place.remove() }
    let path = try place.make("folder")
    try await test(try storage.openFolder(at: path), path)
  }

  // MARK: Links

  @Test("A link to a file is followed, and one that leads nowhere or in a circle is an error")
  func fileLinks() async throws {
    try await run { folder, path in
      try folder.createFile("file").writeAll([1])
      try link("link", to: "file", in: path)
      try link("nowhere", to: "none", in: path)
      try link("circle", to: "circle", in: path)
      try link("inner", to: ".", in: path)
      #expect(try storage.openFile(at: "\(path)/link").read(10, at: 0) == [1])
      #expect(try storage.openFile(at: "\(path)/inner/link").read(10, at: 0) == [1])
      #expect(storageCode { try storage.openFile(at: "\(path)/nowhere") } == .notFound)
      #expect(storageCode { try storage.openFile(at: "\(path)/circle") } == .notFolder)
      #expect(storageCode { try storage.openFile(at: "\(path)/inner") } == .notFile)
    }
  }

  @Test("A link to a folder is not a folder, also with a slash at its end")
  func folderLinks() async throws {
    try await run { folder, path in
      let outside = try place.make("outside")
      try link("link", to: path, in: outside)
      for end in ["", "/", "///"] {
        #expect(storageCode { try storage.openFolder(at: "\(outside)/link\(end)") } == .notFolder)
        #expect(!folder.isFound(at: "\(outside)/link\(end)"))
      }
      #expect(folder.isFound(at: "\(outside)/../folder"))
    }
  }

  @Test("Names lead to links themselves, and never to where they lead")
  func linkNames() async throws {
    try await run { folder, path in
      let outside = try place.make("outside")
      let target = try storage.openFolder(at: outside).createFile("target")
      for name in ["one", "two", "three"] { try link(name, to: "\(outside)/target", in: path) }
      try link("nowhere", to: "\(outside)/none", in: path)
      for name in ["one", "nowhere"] {
        #expect(storageCode { try folder.createFile(name) } == .exists)
        _ = try folder.createFile("file")
        let code = storageCode { try folder.rename("file", to: name, replacing: false) }
        #expect(code == .exists)
        #expect(try !folder.removeAbandoned(name))
        try folder.rename("file", to: name, replacing: true)
      }
      try folder.remove("two")
      try folder.rename("three", to: "four", replacing: false)
      #expect(try folder.names(withPrefix: "").sorted() == ["four", "nowhere", "one"])
      #expect(try target.attributes().byteCount == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["target"])
      let replaced = try storage.openFile(at: "\(path)/one")
      #expect(try replaced.attributes().number != target.attributes().number)
    }
  }

  // MARK: Other kinds of files

  @Test("Pipes and devices are no files, and are not opened to find out")
  func otherKinds() async throws {
    try await run { folder, path in
      try #require(mkfifo("\(path)/pipe", 0o600) == 0)
      try link("link", to: "pipe", in: path)
      for path in ["\(path)/pipe", "\(path)/link", "/dev/null", "/dev/zero"] {
        #expect(storageCode { try storage.openFile(at: path) } == .notFile, "\(path)")
        #expect(storageCode { try storage.openFolder(at: path) } == .notFolder, "\(path)")
      }
      #expect(try !folder.removeAbandoned("pipe"))
      #expect(storageCode { try folder.createFile("pipe") } == .exists)
      try folder.rename("pipe", to: "other", replacing: false)
      try folder.remove("other")
      #expect(try folder.names(withPrefix: "") == ["link"])
    }
  }

  @Test("Names that are not text are not listed")
  func otherNames() async throws {
    try await run { folder, path in
      _ = try folder.createFile("file")
      let name: [CChar] = "\(path)/".utf8CString.dropLast() + [-1, 65, 0]
      let descriptor = creat(name, 0o600)
      guard descriptor >= 0 else { return }  // Here all names are text.
      close(descriptor)
      #expect(try folder.names(withPrefix: "") == ["file"])
    }
  }

  // MARK: Permissions

  @Test("A file belongs to its owner alone, who may execute it if that is set")
  func modes() async throws {
    try await run { folder, path in
      func mode() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(path)/file")[.posixPermissions] as? Int
      }
      let file = try folder.createFile("file")
      #expect(try mode() == 0o600)
      try file.set(modified: nil, isExecutable: true)
      #expect(try mode() == 0o700)
      try file.set(modified: nil, isExecutable: false)
      #expect(try mode() == 0o600)
    }
  }

  // MARK: Folders that change

  @Test("A folder that is moved stays the same, and is found at its new path alone")
  func moved() async throws {
    try await run { folder, path in
      let newPath = "\(path)-moved"
      try FileManager.default.moveItem(atPath: path, toPath: newPath)
      _ = try place.make("folder")
      #expect(!folder.isFound(at: path) && folder.isFound(at: newPath))
      _ = try folder.createFile("file")
      #expect(try FileManager.default.contentsOfDirectory(atPath: newPath) == ["file"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }
  }

  @Test("In a folder that is removed nothing is found, and nothing is made")
  func removed() async throws {
    try await run { folder, path in
      try FileManager.default.removeItem(atPath: path)
      _ = try place.make("folder")
      #expect(!folder.isFound(at: path))
      #expect(storageCode { try folder.createFile("file") } == .notFound)
      #expect(try folder.names(withPrefix: "") == [])
      #expect(storageCode { try folder.rename("a", to: "b", replacing: false) } == .notFound)
      #expect(storageCode { try folder.remove("file") } == .notFound)
      #expect(try !folder.removeAbandoned("file"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }
  }

  @Test("A file that another process reserves is not abandoned, whoever made it")
  func reservedElsewhere() async throws {
    try await run { folder, path in
      _ = try folder.createFile("file")
      let descriptor = open("\(path)/file", O_RDONLY | O_CLOEXEC)
      try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
      #expect(try !folder.removeAbandoned("file"))
      // A process that another test has started may still have a copy, with which the lock would stay.
      #expect(flock(descriptor, LOCK_UN) == 0)
      close(descriptor)
      #expect(try folder.removeAbandoned("file"))
    }
  }

  private func link(_ name: String, to target: String, in path: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(name)", withDestinationPath: target)
  }
}

extension StorageFile {
  /// Writes bytes, by as many calls as that takes.
  func writeAll(_ bytes: [UInt8], at offset: Int64 = 0) throws {
    var count = 0
    while count < bytes.count {
      count += try write(bytes.span.extracting(count...), at: offset + Int64(count))
    }
  }
}

/// The code of the error of the storage that a body throws; `nil` if it throws none.
func storageCode<Result>(_ body: () throws -> Result) -> StorageError.Code? {
  storageError(body)?.code
}

/// The error of the storage that a body throws; `nil` if it throws none.
func storageError<Result>(_ body: () throws -> Result) -> StorageError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? StorageError
  }
}
