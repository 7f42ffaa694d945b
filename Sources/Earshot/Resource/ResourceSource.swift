import EarshotCore
import EarshotNetwork
import Synchronization

/// The bytes of a resource on its sender, as frames that follow each other.
protocol ResourceSource: Sendable {
  /// Hands on all frames, the end among them.
  ///
  /// Reading and hashing happen off the host's executor.
  ///
  /// - Throws: What the body throws, and ``TransferFailure``.
  func forEach(
    on host: any NetworkHost, _ body: (ResourceBlock) async throws -> Void
  ) async throws
}

/// A part of a resource as it is written to the stream.
struct ResourceBlock: Sendable {
  /// Frames, of which the last one may be BYTES.
  var frames: [UInt8] = []
  /// The payload of BYTES.
  var payload: [UInt8] = []
  /// The bytes of the resource in this part, zeros included.
  var byteCount: Int64 = 0
  /// The resource as a whole, if this part ends it.
  var total: (byteCount: Int64, digest: [UInt8])?
}

/// Makes frames of bytes and of zeros, and hashes them.
struct ResourceFramer {
  private var hash = PieceHash()
  private var position: Int64 = 0
  private var frames: [UInt8] = []  // That precede the next block.

  /// The most bytes of a block that does not end its piece.
  static let blockBytes = 262_144

  /// How many bytes the present piece lacks.
  var bytesLeft: Int { hash.bytesLeft }

  /// A block of bytes that lie in one piece.
  mutating func block(of bytes: [UInt8]) -> ResourceBlock {
    ResourceFrame.bytes(bytes.count).encode(into: &frames)
    hash.add(bytes.span)
    let block = ResourceBlock(frames: frames, payload: bytes, byteCount: Int64(bytes.count))
    frames = []
    advance(by: bytes.count)
    return block
  }

  /// A block of zeros that lie in one piece.
  mutating func block(ofZeros count: Int) -> ResourceBlock {
    ResourceFrame.zeros(Int64(count)).encode(into: &frames)
    hash.add(zeros: count)
    advance(by: count)
    defer { frames = [] }
    return ResourceBlock(frames: frames, byteCount: Int64(count))
  }

  /// The end.
  mutating func end() -> ResourceBlock {
    if !hash.isEmpty { endPiece() }
    let digest = hash.finish()
    ResourceFrame.end(byteCount: position, digest: digest).encode(into: &frames)
    defer { frames = [] }
    return ResourceBlock(frames: frames, total: (position, digest))
  }

  private mutating func advance(by count: Int) {
    position += Int64(count)
    if hash.bytesLeft == 0 { endPiece() }
  }

  private mutating func endPiece() {
    ResourceFrame.piece(digest: hash.endPiece()).encode(into: &frames)
  }
}

/// A file.
final class FileSource: ResourceSource {
  private struct Reading {
    var framer = ResourceFramer()
    var offset: Int64 = 0
    /// The last stretch that is known not to be a hole.
    var stretch: Range<Int64>
  }
  private let file: any StorageFile
  private let attributes: FileAttributes
  private let reading: Mutex<Reading>

  /// A file that is open and has attributes, which are not to change.
  init(_ file: any StorageFile, _ attributes: FileAttributes) {
    (self.file, self.attributes) = (file, attributes)
    let stretch = 0..<(attributes.hasHoles ? 0 : attributes.byteCount)
    reading = Mutex(Reading(stretch: stretch))
  }

  func forEach(
    on host: any NetworkHost, _ body: (ResourceBlock) async throws -> Void
  ) async throws {
    while true {
      let block = try await host.offload { () throws(TransferFailure) in try self.next() }
      try await body(block)
      if block.total != nil { return }
    }
  }

  private func next() throws(TransferFailure) -> ResourceBlock {
    try reading.withLock { reading throws(TransferFailure) in
      let block: ResourceBlock?
      let isUnchanged: Bool
      do throws(StorageError) {
        block = try read(&reading)
        isUnchanged = try file.attributes().isUnchanged(since: attributes)
      } catch {
        throw .local(.sourceUnreadable, error)
      }
      guard let block, isUnchanged else { throw .local(.sourceChanged) }
      return block
    }
  }

  /// - Returns: The next block; `nil` if the file is shorter than it was.
  private func read(_ reading: inout Reading) throws(StorageError) -> ResourceBlock? {
    let left = attributes.byteCount - reading.offset
    guard left > 0 else { return reading.framer.end() }
    let count = min(left, Int64(reading.framer.bytesLeft))
    if reading.stretch.upperBound <= reading.offset {
      let end = attributes.byteCount
      reading.stretch = try file.data(from: reading.offset) ?? end..<end
    }
    guard reading.stretch.lowerBound <= reading.offset else {
      let zeros = min(count, reading.stretch.lowerBound - reading.offset)
      reading.offset += zeros
      return reading.framer.block(ofZeros: Int(zeros))
    }
    let dataCount = min(
      count, reading.stretch.upperBound - reading.offset, Int64(ResourceFramer.blockBytes))
    let bytes = try file.read(Int(dataCount), at: reading.offset)
    guard !bytes.isEmpty else { return nil }
    reading.offset += Int64(bytes.count)
    return reading.framer.block(of: bytes)
  }
}

extension FileAttributes {
  /// Whether some of it takes no room on the disk.
  fileprivate var hasHoles: Bool { storedByteCount < byteCount }

  /// Whether it is the same file, and nothing of it was changed.
  fileprivate func isUnchanged(since former: FileAttributes) -> Bool {
    byteCount == former.byteCount && modified == former.modified && changed == former.changed
  }
}

/// Bytes in memory.
struct BytesSource: ResourceSource {
  let bytes: [UInt8]

  func forEach(
    on host: any NetworkHost, _ body: (ResourceBlock) async throws -> Void
  ) async throws {
    let cutter = BytesCutter()
    try await cutter.forEach(of: bytes, on: host, body)
    try await body(cutter.end())
  }
}

/// Bytes that a program makes one after the other.
struct SequenceSource<Bytes: AsyncSequence & Sendable>: ResourceSource
where Bytes.Element == [UInt8] {
  let sequence: Bytes

  func forEach(
    on host: any NetworkHost, _ body: (ResourceBlock) async throws -> Void
  ) async throws {
    let cutter = BytesCutter()
    var iterator = sequence.makeAsyncIterator()
    while true {
      let bytes: [UInt8]?
      do { bytes = try await iterator.next() } catch { throw TransferFailure.source(error) }
      guard let bytes else { break }
      try await cutter.forEach(of: bytes, on: host, body)
    }
    try await body(cutter.end())
  }
}

/// Makes frames of bytes of any number.
private final class BytesCutter: Sendable {
  private let framer = Mutex(ResourceFramer())

  func forEach(
    of bytes: [UInt8], on host: any NetworkHost, _ body: (ResourceBlock) async throws -> Void
  ) async throws {
    var start = 0
    while start < bytes.count {
      let rest = bytes[start...]
      let block = await host.offload {
        self.framer.withLock { framer in
          framer.block(of: Array(rest.prefix(min(framer.bytesLeft, ResourceFramer.blockBytes))))
        }
      }
      start += block.payload.count
      try await body(block)
    }
  }

  func end() -> ResourceBlock { framer.withLock { $0.end() } }
}
