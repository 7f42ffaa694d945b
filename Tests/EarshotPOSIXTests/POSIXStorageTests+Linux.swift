#if os(Linux)
  import EarshotNetwork
  import EarshotPOSIX
  import Foundation
  import Testing

  // What Linux refuses, on threads for which it is made to.
  extension POSIXStorageTests {
    @Test(
      "Each error of the system has its code",
      arguments: [
        (EEXIST, .exists), (EFBIG, .fileTooLarge), (ENOSPC, .full), (EDQUOT, .full),
        (ENAMETOOLONG, .invalidName), (EILSEQ, .invalidName), (EINVAL, .invalidName),
        (EISDIR, .isFolder), (ENOTDIR, .notFolder), (ELOOP, .notFolder), (ENOENT, .notFound),
        (ESTALE, .notFound), (EACCES, .permissionDenied), (EPERM, .permissionDenied),
        (EROFS, .readOnly), (EMFILE, .tooManyOpenFiles), (ENFILE, .tooManyOpenFiles),
        (EIO, .other), (ENODEV, .other),
      ] as [(Int32, StorageError.Code)])
    func codes(number: Int32, code: StorageError.Code) async throws {
      try await run { folder, path in
        let file = try folder.createFile("file")
        let errors = try await OwnThread.run {
          try OwnThread.fail(.openat, with: number)
          try OwnThread.fail(.pwrite, with: number)
          return (
            storageError { try folder.createFile("new") },
            storageError { try file.write([1].span, at: 0) }
          )
        }
        let ofFile: StorageError.Code = number == EINVAL ? .other : code
        #expect(errors.0 == StorageError(code, call: "create \(path)/new", errno: number))
        #expect(errors.1 == StorageError(ofFile, call: "write \(path)/file", errno: number))
      }
    }

    @Test("What the user may not read or change is an error of its own")
    func permissions() async throws {
      try await run { folder, path in
        try folder.createFile("file").writeAll([1])
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0], ofItemAtPath: "\(path)/file")
        try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: path)
        let storage = storage
        let codes = try await OwnThread.run {
          try OwnThread.becomeNobody()
          return [
            storageCode { try folder.createFile("new") },
            storageCode { try folder.rename("file", to: "new", replacing: false) },
            storageCode { try folder.remove("file") },
            storageCode { try storage.openFile(at: "\(path)/file") },
          ]
        }
        try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        #expect(codes == [StorageError.Code?](repeating: .permissionDenied, count: 4))
        #expect(try folder.names(withPrefix: "") == ["file"])
      }
    }

    @Test(
      "Where the system cannot rename without replacing, a rename replaces nothing all the same",
      arguments: [ENOSYS, EINVAL])
    func renamingByLink(number: Int32) async throws {
      try await run { folder, path in
        for name in ["one", "two"] { try folder.createFile(name).writeAll([UInt8(name.count)]) }
        let file = try storage.openFile(at: "\(path)/one")
        let codes = try await OwnThread.run {
          try OwnThread.fail(.renameat2, with: number)
          return [
            storageCode { try folder.rename("one", to: "two", replacing: false) },
            storageCode { try folder.rename("one", to: "one", replacing: false) },
            storageCode { try folder.rename("none", to: "new", replacing: false) },
            storageCode { try folder.rename("one", to: "new", replacing: false) },
          ]
        }
        #expect(codes == [.exists, .exists, .notFound, nil])
        #expect(try folder.names(withPrefix: "").sorted() == ["new", "two"])
        let renamed = try storage.openFile(at: "\(path)/new")
        #expect(try renamed.attributes().number == file.attributes().number)
      }
    }

    @Test("Where nothing can be reserved, files are made, and none counts as abandoned")
    func withoutReserving() async throws {
      try await run { folder, _ in
        let wasRemoved = try await OwnThread.run {
          try OwnThread.fail(.flock, with: ENOLCK)
          _ = try folder.createFile("file")
          return try folder.removeAbandoned("file")
        }
        #expect(!wasRemoved)
        #expect(try folder.names(withPrefix: "") == ["file"])
      }
    }

    @Test("Where the system tells nothing of holes, all of a file counts as written")
    func withoutHoles() async throws {
      try await run { folder, _ in
        let file = try folder.createFile("file")
        try file.resize(to: 100)
        let stretches = try await OwnThread.run {
          try OwnThread.fail(.lseek, with: EINVAL)
          return try [0, 5, 100, .max].map { try file.data(from: $0) }
        }
        #expect(stretches == [0..<100, 5..<100, nil, nil])
      }
    }

    @Test("A folder that its file system cannot synchronize is as good as it gets")
    func withoutSynchronizing() async throws {
      try await run { folder, path in
        let file = try folder.createFile("file")
        let codes = try await OwnThread.run {
          try OwnThread.fail(.fsync, with: EINVAL)
          return [storageCode { try folder.synchronize() }, storageCode { try file.synchronize() }]
        }
        #expect(codes == [nil, .other])
        let lost = try await OwnThread.run {
          try OwnThread.fail(.fsync, with: EIO)
          return storageError { try folder.synchronize() }
        }
        #expect(lost == StorageError(.other, call: "fsync \(path)", errno: EIO))
      }
    }

    @Test(
      "A full disk takes what it has room for, and then nothing until something is removed",
      .enabled(if: OwnThread.canMount, "needs the right to mount a file system"))
    func full() async throws {
      try await run { _, path in
        let storage = storage
        let disk = try await OwnThread.run {
          try OwnThread.mountMemory(at: path, byteCount: 256 << 10)
          return try storage.openFolder(at: path)
        }
        let file = try disk.createFile("file")
        let free = try disk.freeBytes()
        #expect((1...256 << 10).contains(free))
        let bytes = [UInt8](repeating: 1, count: 100_000)
        var written: Int64 = 0
        let error = storageError {
          while true {
            let count = try file.write(bytes.span, at: written)
            try #require((1...bytes.count).contains(count))
            written += Int64(count)
          }
        }
        #expect(error == StorageError(.full, call: "write \(path)/file", errno: ENOSPC))
        #expect(try written == free && disk.freeBytes() == 0)
        #expect(try file.attributes().byteCount == written)
        try file.resize(to: written - 8_192)
        #expect(try disk.freeBytes() == 8_192)
        try file.writeAll([1], at: written - 1)
      }
    }

    @Test(
      "On a disk that can only be read nothing is changed, and files are read",
      .enabled(if: OwnThread.canMount, "needs the right to mount a file system"))
    func readOnlyDisk() async throws {
      try await run { _, path in
        let storage = storage
        let (disk, file) = try await OwnThread.run {
          try OwnThread.mountMemory(at: path, byteCount: 256 << 10)
          let disk = try storage.openFolder(at: path)
          try disk.createFile("file").writeAll([1])
          try OwnThread.forbidWriting(at: path)
          return (disk, try storage.openFile(at: "\(path)/file"))
        }
        #expect(try file.read(10, at: 0) == [1])
        let codes = [
          storageCode { try disk.createFile("new") },
          storageCode { try disk.rename("file", to: "new", replacing: false) },
          storageCode { try disk.rename("file", to: "new", replacing: true) },
          storageCode { try disk.remove("file") },
          storageCode { try disk.removeAbandoned("file") },
          storageCode { try file.set(modified: 0, isExecutable: true) },
        ]
        #expect(codes == [StorageError.Code?](repeating: .readOnly, count: 6))
        #expect(try disk.names(withPrefix: "") == ["file"])
      }
    }
  }
#endif
