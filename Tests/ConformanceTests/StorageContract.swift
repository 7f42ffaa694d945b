import EarshotNetwork
import Testing

@Suite("Contract: folders")
struct StorageContract {
  /// No entry can have them.
  private static let invalidNames = [
    "", ".", "..", "/", "a/b", "/a", "a/", "../a", "a\0", "\0", "a\0b",
    String(repeating: "a", count: 256), String(repeating: "é", count: 128),
  ]

  // MARK: Opening

  @Test("A path that leads nowhere, or through a file, is an error of its own", arguments: networks)
  func opening(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let storage = hosts.ann.network.storage
      _ = try folder.createFile("file")
      let codes: [String: (file: StorageError.Code?, folder: StorageError.Code?)] = [
        "\(path)/none": (.notFound, .notFound), "\(path)/none/none": (.notFound, .notFound),
        "": (.notFound, .notFound), "\(path)/file/none": (.notFolder, .notFolder),
        "\(path)/file": (nil, .notFolder), path: (.notFile, nil), "\(path)/.": (.notFile, nil),
        "/": (.notFile, nil), "\(path)/file\0": (.invalidName, .invalidName),
        "\(path)/\(Self.invalidNames[11])": (.invalidName, .invalidName),
        String(repeating: "/a", count: 2_048): (.invalidName, .invalidName),
      ]
      for (path, code) in codes {
        #expect(storageCode { try storage.openFile(at: path) } == code.file, "\(path)")
        #expect(storageCode { try storage.openFolder(at: path) } == code.folder, "\(path)")
      }
    }
  }

  @Test("Slashes at the end of a path of a folder change nothing", arguments: networks)
  func slashes(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let same = try hosts.ann.network.storage.openFolder(at: "\(path)//")
      _ = try same.createFile("file")
      #expect(try folder.names(withPrefix: "") == ["file"])
      #expect(folder.isFound(at: "\(path)///"))
    }
  }

  @Test("A folder is found at its path and at no other", arguments: networks)
  func found(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let other = try hosts.ann.makeFolder("other")
      _ = try folder.createFile("file")
      #expect(folder.isFound(at: path))
      for path in [other, "\(path)/file", "\(path)/none", "/", "", "\(path)\0"] {
        #expect(!folder.isFound(at: path), "\(path)")
      }
    }
  }

  @Test("An error names the call as it was made", arguments: networks)
  func naming(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      for (call, name) in [
        ("create", { _ = try folder.createFile("a/b") }),
        ("rename", { try folder.rename("a/b", to: "c", replacing: true) }),
        ("remove", { try folder.remove("a/b") }),
        ("remove", { _ = try folder.removeAbandoned("a/b") }),
        ("open", { _ = try hosts.ann.network.storage.openFile(at: "\(path)/a/b") }),
        ("open", { _ = try hosts.ann.network.storage.openFolder(at: "\(path)/a/b") }),
      ] as [(String, () throws -> Void)] {
        let error = #expect(throws: StorageError.self) { try name() }
        #expect(error?.call.hasPrefix("\(call) \(path)/a/b") == true)
      }
    }
  }

  // MARK: Names

  @Test("A file that was created is not visible under another name", arguments: networks)
  func creating(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let file = try folder.createFile("one")
      #expect(try folder.names(withPrefix: "") == ["one"])
      let found = try hosts.ann.network.storage.openFile(at: "\(path)/one")
      #expect(try found.attributes() == file.attributes())
      let code = storageCode { try hosts.ann.network.storage.openFile(at: "\(path)/two") }
      #expect(code == .notFound)
    }
  }

  @Test("Creating a file never takes over what exists", arguments: networks)
  func creatingExisting(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      _ = try hosts.ann.makeFolder("folder/inner")
      let file = try folder.createFile("file")
      try file.writeAll([1, 2, 3])
      #expect(storageCode { try folder.createFile("file") } == .exists)
      #expect(storageCode { try folder.createFile("inner") } == .exists)
      #expect(try file.attributes().byteCount == 3)
      #expect(try folder.names(withPrefix: "").sorted() == ["file", "inner"])
    }
  }

  @Test("A name that is a path, or that no entry can have, is refused", arguments: networks)
  func invalid(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      _ = try hosts.ann.makeFolder("folder/a")
      _ = try folder.createFile("file")
      for name in Self.invalidNames {
        let codes = [
          storageCode { try folder.createFile(name) },
          storageCode { try folder.rename(name, to: "new", replacing: false) },
          storageCode { try folder.rename(name, to: "new", replacing: true) },
          storageCode { try folder.rename("file", to: name, replacing: false) },
          storageCode { try folder.rename("file", to: name, replacing: true) },
          storageCode { try folder.remove(name) },
          storageCode { try folder.removeAbandoned(name) },
        ]
        #expect(codes.allSatisfy { $0 == .invalidName }, "\(name)")
      }
      #expect(try folder.names(withPrefix: "").sorted() == ["a", "file"])
    }
  }

  @Test("A name may have 255 bytes, and any character but a slash", arguments: networks)
  func valid(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let names = [
        String(repeating: "a", count: 255), "b" + String(repeating: "é", count: 127), "...",
        " ", "-rf", "~", "C:\\x", "\u{1B}[2J", "a\nb", "𝕏", "*",
      ]
      for name in names { _ = try folder.createFile(name) }
      #expect(try Set(folder.names(withPrefix: "")) == Set(names))
      for name in names { try folder.remove(name) }
      #expect(try folder.names(withPrefix: "") == [])
    }
  }

  @Test("Names are listed of all entries that begin with a text", arguments: networks)
  func prefix(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      for name in [".part-1", ".part-2", ".par", "part-3"] { _ = try folder.createFile(name) }
      _ = try hosts.ann.makeFolder("folder/.part-folder/.part-inner")
      #expect(
        try folder.names(withPrefix: ".part-").sorted() == [".part-1", ".part-2", ".part-folder"])
      #expect(try folder.names(withPrefix: "").count == 5)
      #expect(try folder.names(withPrefix: "none") == [])
    }
  }

  // MARK: Renaming

  @Test("A file that is renamed stays the same, also while it is open", arguments: networks)
  func renaming(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let file = try folder.createFile("old")
      try folder.rename("old", to: "new", replacing: false)
      try file.writeAll([1, 2, 3])
      #expect(try folder.names(withPrefix: "") == ["new"])
      let renamed = try hosts.ann.network.storage.openFile(at: "\(path)/new")
      #expect(try renamed.read(10, at: 0) == [1, 2, 3])
      #expect(try renamed.attributes().number == file.attributes().number)
    }
  }

  @Test("A rename replaces nothing unless it is told to", arguments: networks)
  func renamingToExisting(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      _ = try hosts.ann.makeFolder("folder/inner")
      try folder.createFile("one").writeAll([1])
      try folder.createFile("two").writeAll([2])
      for name in ["two", "inner", "one"] {
        let code = storageCode { try folder.rename("one", to: name, replacing: false) }
        #expect(code == .exists, "\(name)")
      }
      #expect(try folder.names(withPrefix: "").sorted() == ["inner", "one", "two"])
      #expect(try hosts.ann.network.storage.openFile(at: "\(path)/two").read(10, at: 0) == [2])
    }
  }

  @Test("A file that is replaced stays what it was while it is open", arguments: networks)
  func replacing(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let (one, two) = (try folder.createFile("one"), try folder.createFile("two"))
      try one.writeAll([1])
      try two.writeAll([2])
      try folder.rename("one", to: "two", replacing: true)
      #expect(try folder.names(withPrefix: "") == ["two"])
      #expect(try hosts.ann.network.storage.openFile(at: "\(path)/two").read(10, at: 0) == [1])
      try two.writeAll([3])
      #expect(try two.read(10, at: 0) == [3])
      try folder.rename("two", to: "two", replacing: true)
      try folder.rename("two", to: "three", replacing: true)
      #expect(try folder.names(withPrefix: "") == ["three"])
    }
  }

  @Test("A folder is never replaced, and replaces no file", arguments: networks)
  func replacingFolder(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      _ = try hosts.ann.makeFolder("folder/empty")
      _ = try hosts.ann.makeFolder("folder/full/inner")
      _ = try folder.createFile("file")
      for name in ["empty", "full"] {
        #expect(storageCode { try folder.rename("file", to: name, replacing: true) } == .isFolder)
      }
      #expect(storageCode { try folder.rename("full", to: "empty", replacing: true) } == .isFolder)
      #expect(storageCode { try folder.rename("empty", to: "full", replacing: true) } == .isFolder)
      #expect(storageCode { try folder.rename("full", to: "file", replacing: true) } == .notFolder)
      #expect(try folder.names(withPrefix: "").sorted() == ["empty", "file", "full"])
    }
  }

  @Test("A file that is gone is neither renamed nor removed", arguments: networks)
  func gone(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      _ = try folder.createFile("file")
      for replacing in [false, true] {
        #expect(
          storageCode { try folder.rename("none", to: "new", replacing: replacing) } == .notFound)
      }
      #expect(storageCode { try folder.rename("none", to: "file", replacing: true) } == .notFound)
      #expect(storageCode { try folder.remove("none") } == .notFound)
      #expect(try folder.names(withPrefix: "") == ["file"])
    }
  }

  // MARK: Removing

  @Test("A file that is removed can be used while it is open", arguments: networks)
  func removing(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      try file.writeAll([1])
      try folder.remove("file")
      #expect(try folder.names(withPrefix: "") == [])
      try file.writeAll([2], at: 1)
      #expect(try file.read(10, at: 0) == [1, 2])
      let next = try folder.createFile("file")
      #expect(try next.attributes().byteCount == 0)
      #expect(try next.attributes().number != file.attributes().number)
    }
  }

  @Test("A folder is not removed", arguments: networks)
  func removingFolder(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      _ = try hosts.ann.makeFolder("folder/inner")
      #expect(storageCode { try folder.remove("inner") } == .isFolder)
      #expect(try !folder.removeAbandoned("inner"))
      #expect(try folder.names(withPrefix: "") == ["inner"])
    }
  }

  @Test("A reserved file does not count as abandoned, and a released one does", arguments: networks)
  func abandoned(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      var file: (any StorageFile)? = try folder.createFile("file")
      #expect(try !folder.removeAbandoned("file"))
      try folder.rename("file", to: "renamed", replacing: false)
      #expect(try !folder.removeAbandoned("renamed"))
      #expect(try folder.names(withPrefix: "") == ["renamed"])
      try file?.writeAll([1])
      file = nil
      let reader = try hosts.ann.network.storage.openFile(at: "\(path)/renamed")
      #expect(try folder.removeAbandoned("renamed"), "to read it reserves nothing")
      #expect(try folder.names(withPrefix: "") == [])
      #expect(try reader.read(10, at: 0) == [1])
      #expect(try !folder.removeAbandoned("renamed"))
    }
  }

  // MARK: The disk

  @Test("There is room, and all that was done can be waited for", arguments: networks)
  func disk(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      try file.writeAll([1])
      #expect(try folder.freeBytes() > 0)
      try file.synchronize()
      try folder.synchronize()
      try hosts.ann.network.storage.openFile(at: "\(path)/file").synchronize()
    }
  }
}

extension TwoHosts.Host {
  /// Opens a folder that is empty at first.
  func openFolder() throws -> (folder: any StorageFolder, path: String) {
    let path = try makeFolder("folder")
    return (try network.storage.openFolder(at: path), path)
  }
}

extension StorageFile {
  /// Writes bytes, by as many calls as that takes.
  func writeAll(_ bytes: [UInt8], at offset: Int64 = 0) throws {
    var count = 0
    while count < bytes.count {
      let written = try write(bytes.span.extracting(count...), at: offset + Int64(count))
      try #require((1...bytes.count - count).contains(written))
      count += written
    }
  }
}

/// The code of the error of the storage that a body throws; `nil` if it throws none.
func storageCode<Result>(_ body: () throws -> Result) -> StorageError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? StorageError)?.code
  }
}
