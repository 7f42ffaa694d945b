/// What the two sides of a transfer say to each other, within one stream.
///
/// ```
/// kind (1) | length (varint) | payload
/// ```
///
/// | kind | name | from | payload |
/// |---|---|---|---|
/// | 1 | OFFER | sender | token (16), kind (1 byte), bytes (varint), stored bytes (varint), modified (varint), label (string) |
/// | 2 | BYTES | sender | the next bytes, 1 through 1 MiB |
/// | 3 | ZEROS | sender | how many of the next bytes are zero (varint, from 1) |
/// | 4 | PIECE | sender | SHA-256 of the piece that ends here (32) |
/// | 5 | END | sender | bytes in all (varint), SHA-256 of the digests of all pieces (32) |
/// | 6 | PAUSE | both | 0 going on, 1 paused, 2 the disk is full (1 byte) |
/// | 17 | ACCEPT | receiver | pieces that it has (varint), SHA-256 of their digests (32) |
/// | 18 | DECLINE | receiver | reason (string) |
/// | 19 | WRITTEN | receiver | bytes in all that are written (varint) |
/// | 20 | DONE | receiver | nothing |
///
/// A failure is no frame: it resets the stream, with a ``ResourceFailure`` as its code.
package enum ResourceFrame: Hashable, Sendable {
  case offer(ResourceDescription)
  /// The payload follows, and is not part of the value.
  case bytes(Int)
  case zeros(Int64)
  case piece(digest: [UInt8])
  case end(byteCount: Int64, digest: [UInt8])
  case pause(ResourcePause)
  case accept(pieces: Int64, digest: [UInt8])
  case decline(reason: String)
  case written(Int64)
  case done

  /// The bytes of a piece; the last one of a resource may have fewer.
  package static let pieceBytes = 1 << 20
  /// The bytes of a digest.
  package static let digestBytes = 32
  /// The bytes of the number by which the sender knows a transfer.
  package static let tokenBytes = 16
  /// The longest label, in bytes of UTF-8.
  package static let labelBytesMax = 1_023
  /// The longest reason of a refusal, in bytes of UTF-8.
  package static let reasonBytesMax = 255
  /// The longest payload, but for that of BYTES.
  static let payloadBytesMax = 1_100
}

/// Why a side of a transfer stands still by its own will.
package enum ResourcePause: UInt8, Hashable, Sendable, CaseIterable {
  /// It does not.
  case none = 0
  /// The program has paused it.
  case program = 1
  /// The receiver's disk is full.
  case diskFull = 2
}

/// What is offered.
package struct ResourceDescription: Hashable, Sendable {
  /// The number by which the sender knows the transfer, in another session, too.
  package var token: [UInt8]
  /// What the sender's program calls it: any UTF-8, never a path.
  package var label: String
  /// Whether it is a file, and not bytes that a program has made.
  package var isFile: Bool
  /// Whether the owner of the file may execute it.
  package var isExecutable: Bool
  /// How many bytes it has, or at most has.
  package var byteCount: Int64
  /// Whether it has exactly as many bytes.
  package var isCountExact: Bool
  /// About how many bytes it takes on a disk.
  package var storedByteCount: Int64
  /// When it was modified, in nanoseconds since 1970; `nil` if that is unknown.
  package var modified: Int64?

  /// A resource with the given parts; numbers that are out of their range count as the nearest in
  /// it.
  package init(
    token: [UInt8], label: String, isFile: Bool, isExecutable: Bool = false, byteCount: Int64,
    isCountExact: Bool = true, storedByteCount: Int64, modified: Int64? = nil
  ) {
    precondition(
      token.count == ResourceFrame.tokenBytes && label.utf8.count <= ResourceFrame.labelBytesMax,
      "the parts of an offer are within their bounds")
    (self.token, self.label, self.isFile, self.isExecutable) = (token, label, isFile, isExecutable)
    let counts = 0...Self.byteCountMax
    self.byteCount = byteCount.clamped(to: counts)
    self.isCountExact = isCountExact
    self.storedByteCount = storedByteCount.clamped(to: counts)
    self.modified = modified.flatMap { counts.contains($0) ? $0 : nil }
  }

  /// The most bytes of a resource, which is also the latest time of a modification: 2⁶²−1.
  package static let byteCountMax = Int64(Varint.max)
}

extension ResourceFrame {
  /// Appends the frame, for BYTES without its payload.
  package func encode(into bytes: inout [UInt8]) {
    var payload = ByteWriter()
    switch self {
    case .offer(let description): description.write(to: &payload)
    case .bytes(let count):
      bytes.append(kind)
      return Varint.append(UInt64(count), to: &bytes)
    case .zeros(let count): payload.writeVarint(UInt64(count))
    case .piece(let digest): payload.write(digest)
    case .end(let byteCount, let digest):
      payload.writeVarint(UInt64(byteCount))
      payload.write(digest)
    case .pause(let pause): payload.write(pause.rawValue)
    case .accept(let pieces, let digest):
      payload.writeVarint(UInt64(pieces))
      payload.write(digest)
    case .decline(let reason): payload.writePrefixed(reason)
    case .written(let count): payload.writeVarint(UInt64(count))
    case .done: break
    }
    bytes.append(kind)
    Varint.append(UInt64(payload.count), to: &bytes)
    bytes += payload.bytes
  }

  /// The frame's own encoding, for BYTES without its payload.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    encode(into: &bytes)
    return bytes
  }

  private var kind: UInt8 {
    switch self {
    case .offer: 1
    case .bytes: 2
    case .zeros: 3
    case .piece: 4
    case .end: 5
    case .pause: 6
    case .accept: 17
    case .decline: 18
    case .written: 19
    case .done: 20
    }
  }

  /// Whether a kind has a payload that is handed on as it comes.
  static func isStreamed(_ kind: UInt8) -> Bool { kind == 2 }

  /// Reads a frame of a kind whose payload is complete.
  init(kind: UInt8, payload: [UInt8]) throws(WireError) {
    var reader = ByteReader(payload)
    switch kind {
    case 1: self = .offer(try ResourceDescription(reading: &reader))
    case 3:
      self = .zeros(try reader.readCount())
      if case .zeros(0) = self { throw .malformed }
    case 4: self = .piece(digest: try reader.readBytes(Self.digestBytes))
    case 5:
      let count = try reader.readCount()
      self = .end(byteCount: count, digest: try reader.readBytes(Self.digestBytes))
    case 6:
      guard let pause = ResourcePause(rawValue: try reader.readUInt8()) else { throw .malformed }
      self = .pause(pause)
    case 17:
      let pieces = try reader.readCount()
      self = .accept(pieces: pieces, digest: try reader.readBytes(Self.digestBytes))
    case 18: self = .decline(reason: try reader.readPrefixedString(maxBytes: Self.reasonBytesMax))
    case 19: self = .written(try reader.readCount())
    case 20: self = .done
    default: throw .malformed
    }
    guard reader.isAtEnd else { throw .malformed }
  }
}

extension ByteReader {
  fileprivate mutating func readCount() throws(WireError) -> Int64 {
    Int64(try readVarint())  // At most 2⁶²−1.
  }
}

extension ResourceDescription {
  fileprivate init(reading reader: inout ByteReader) throws(WireError) {
    token = try reader.readBytes(ResourceFrame.tokenBytes)
    let kind = try reader.readUInt8()
    guard kind < 16 else { throw .malformed }
    isFile = kind & Self.fileBit != 0
    isExecutable = kind & Self.executableBit != 0
    isCountExact = kind & Self.exactBit != 0
    byteCount = try reader.readCount()
    storedByteCount = try reader.readCount()
    let time = try reader.readCount()
    guard kind & Self.timeBit != 0 || time == 0 else { throw .malformed }
    modified = kind & Self.timeBit != 0 ? time : nil
    label = try reader.readPrefixedString(maxBytes: ResourceFrame.labelBytesMax)
    guard !label.isEmpty else { throw .malformed }
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.write(token)
    writer.write(
      (isFile ? Self.fileBit : 0) | (isExecutable ? Self.executableBit : 0)
        | (isCountExact ? Self.exactBit : 0) | (modified != nil ? Self.timeBit : 0))
    writer.writeVarint(UInt64(byteCount))
    writer.writeVarint(UInt64(storedByteCount))
    writer.writeVarint(UInt64(modified ?? 0))
    writer.writePrefixed(label)
  }

  private static let fileBit: UInt8 = 1
  private static let executableBit: UInt8 = 2
  private static let exactBit: UInt8 = 4
  private static let timeBit: UInt8 = 8
}
