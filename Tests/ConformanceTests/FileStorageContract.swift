import EarshotNetwork
import Testing

@Suite("Contract: files")
struct FileStorageContract {
  private static let block: Int64 = 4_096
  private static let mebibyte: Int64 = 1 << 20
  /// In nanoseconds since 1970: a time in 2001.
  private static let past: Int64 = 1_000_000_000_123_456_789

  // MARK: Bytes

  @Test("What was written is read by everything that has the file open", arguments: networks)
  func bytes(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      let reader = try hosts.ann.network.storage.openFile(at: "\(path)/file")
      let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try file.writeAll(bytes)
      for file in [file, reader] {
        #expect(try file.attributes().byteCount == 100_000)
        #expect(try file.read(100_000, at: 0) == bytes)
        #expect(try file.read(10, at: 4_090) == Array(bytes[4_090..<4_100]))
      }
      try file.writeAll([1, 2, 3], at: 50_000)
      #expect(try reader.read(5, at: 49_999) == [bytes[49_999], 1, 2, 3, bytes[50_003]])
      #expect(try reader.attributes().byteCount == 100_000)
    }
  }

  @Test("A read that goes beyond the end is short, and one there is empty", arguments: networks)
  func end(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      #expect(try file.read(10, at: 0) == [])
      try file.writeAll([1, 2, 3])
      #expect(try file.read(10, at: 0) == [1, 2, 3])
      #expect(try file.read(10, at: 2) == [3])
      for offset in [3, 4, 1 << 40, .max - 1, .max] as [Int64] {
        #expect(try file.read(10, at: offset) == [])
      }
    }
  }

  @Test("To write nothing writes nothing", arguments: networks)
  func nothing(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      let nothing: [UInt8] = []
      for offset in [0, 1_000, .max] as [Int64] {
        let count = try file.write(nothing.span, at: offset)
        #expect(count == 0)
      }
      #expect(try file.read(0, at: 0) == [])
      #expect(try file.attributes().byteCount == 0)
    }
  }

  @Test("A file that was opened to be read is not changed", arguments: networks)
  func readOnly(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      try folder.createFile("file").writeAll([1, 2])
      let reader = try hosts.ann.network.storage.openFile(at: "\(path)/file")
      #expect(storageCode { try reader.write([3].span, at: 0) } == .other)
      #expect(storageCode { try reader.resize(to: 0) } == .other)
      #expect(try reader.read(10, at: 0) == [1, 2])
    }
  }

  // MARK: Holes

  @Test("What was never written is zeros, and takes no room", arguments: networks)
  func holes(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      try file.writeAll([1, 2], at: Self.mebibyte)
      try file.resize(to: 64 * Self.mebibyte)
      try file.synchronize()
      let attributes = try file.attributes()
      #expect(attributes.byteCount == 64 * Self.mebibyte)
      #expect((1...Self.mebibyte).contains(attributes.storedByteCount))
      #expect(try file.read(3, at: 5) == [0, 0, 0])
      #expect(try file.read(4, at: Self.mebibyte - 1) == [0, 1, 2, 0])
      #expect(try file.read(10, at: 64 * Self.mebibyte - 2) == [0, 0])
    }
  }

  @Test("Holes are told from what was written", arguments: networks)
  func stretches(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      #expect(try file.data(from: 0) == nil)
      let (one, two) = (Self.mebibyte, 3 * Self.mebibyte)
      try file.writeAll([UInt8](repeating: 1, count: Int(Self.block)), at: one)
      try file.writeAll([2], at: two)
      for file in [file, try hosts.ann.network.storage.openFile(at: "\(path)/file")] {
        for offset in [0, 5, one] { #expect(try file.data(from: offset) == one..<one + Self.block) }
        #expect(try file.data(from: one + 5) == one + 5..<one + Self.block)
        #expect(try file.data(from: one + Self.block) == two..<two + 1)
        for offset in [two + 1, two + Self.block, .max] {
          #expect(try file.data(from: offset) == nil)
        }
      }
      try file.resize(to: 2 * two)
      #expect(try file.data(from: two + Self.block) == nil)
      try file.resize(to: 2 * one)
      #expect(try file.data(from: one + Self.block) == nil)
    }
  }

  @Test("A file that is cut and extended has zeros where bytes were", arguments: networks)
  func cut(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      try file.writeAll([UInt8](repeating: 7, count: 10_000))
      try file.resize(to: 5)
      #expect(try file.read(20_000, at: 0) == [7, 7, 7, 7, 7])
      try file.resize(to: 10_000)
      #expect(
        try file.read(20_000, at: 0)
          == [7, 7, 7, 7, 7] + [UInt8](repeating: 0, count: 9_995))
      try file.resize(to: 0)
      #expect(try file.attributes().byteCount == 0 && file.data(from: 0) == nil)
    }
  }

  // MARK: Extremes

  @Test("Numbers that no file has are errors, and change nothing", arguments: networks)
  func extremes(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      try file.writeAll([1, 2])
      #expect(try file.read(.max, at: 0) == [1, 2])
      #expect(try file.read(.max, at: .max) == [])
      for offset in [-1, .min] as [Int64] {
        #expect(storageCode { try file.read(1, at: offset) } == .other)
        #expect(storageCode { try file.write([3].span, at: offset) } == .other)
        #expect(storageCode { try file.resize(to: offset) } == .other)
        #expect(try file.data(from: offset) == nil)
      }
      for count in [-1, Int.min] {
        #expect(storageCode { try file.read(count, at: 0) } == .other)
      }
      #expect(storageCode { try file.write([3, 4].span, at: .max) } == .fileTooLarge)
      #expect(try file.attributes().byteCount == 2)
      // Some file systems have files of that size.
      #expect([nil, .fileTooLarge].contains(storageCode { try file.resize(to: .max) }))
      #expect(try file.read(1, at: 1) == [2])
    }
  }

  @Test("Any time can be asked for, if a file system does not keep each", arguments: networks)
  func times(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      for time in [.min, -1_500_000_000, -1, 0, 1, .max] as [Int64] {
        try file.set(modified: time, isExecutable: false)
        let kept = try file.attributes().modified
        if (-2_000_000_000...1).contains(time) { #expect(kept == time) }
      }
    }
  }

  // MARK: Attributes

  @Test("A new file has no bytes, and nothing executes it", arguments: networks)
  func new(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let attributes = try folder.createFile("file").attributes()
      #expect(attributes.byteCount == 0 && attributes.storedByteCount == 0)
      #expect(!attributes.isExecutable)
      #expect(attributes.modified > Self.past && attributes.changed >= attributes.modified)
    }
  }

  @Test("What was set is kept to the nanosecond, until the bytes change", arguments: networks)
  func setting(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, _) = try hosts.ann.openFolder()
      let file = try folder.createFile("file")
      try file.set(modified: Self.past, isExecutable: true)
      var attributes = try file.attributes()
      #expect(attributes.modified == Self.past && attributes.isExecutable)
      #expect(attributes.changed > Self.past, "that attributes were set is a change")
      try file.set(modified: nil, isExecutable: false)
      attributes = try file.attributes()
      #expect(attributes.modified == Self.past && !attributes.isExecutable)
      _ = try file.read(1, at: 0)
      #expect(try file.attributes() == attributes)
      try file.writeAll([1])
      #expect(try file.attributes().modified > Self.past)
      try file.set(modified: Self.past, isExecutable: false)
      try file.resize(to: 100)
      #expect(try file.attributes().modified > Self.past)
    }
  }

  @Test("Files are told apart by their numbers, whatever their names", arguments: networks)
  func numbers(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (folder, path) = try hosts.ann.openFolder()
      let (one, two) = (try folder.createFile("one"), try folder.createFile("two"))
      let (first, second) = (try one.attributes(), try two.attributes())
      #expect(first.device == second.device && first.number != second.number)
      try folder.rename("one", to: "three", replacing: false)
      let opened = try hosts.ann.network.storage.openFile(at: "\(path)/three").attributes()
      #expect(opened.device == first.device && opened.number == first.number)
    }
  }
}
