extension DNSMessage {
  /// Reads a packet.
  ///
  /// A record that cannot be read is left out, and so are questions and records of other classes than IN;
  /// the rest stays. Nothing is allocated by a count that the packet claims.
  ///
  /// - Parameter bytes: The packet, as it came.
  /// - Throws: `tooLong` above 9,000 bytes or 512 questions and records; `truncated` when it ends too early;
  ///   `malformed` when a name, without which the next record cannot be found, is none.
  package init(decoding bytes: [UInt8]) throws(WireError) {
    guard bytes.count <= Self.packetBytesMax else { throw .tooLong }
    var decoder = DNSDecoder(bytes)
    self = try decoder.message()
  }
}

/// Reads the parts of one packet.
struct DNSDecoder {
  private static let pointersMax = 16
  private static let headerBytes = 12
  private static let namesMax = 32
  private var reader: ByteReader
  /// The first names, by where they begin: records of one packet that point to a name share it.
  private var names: [(offset: Int, name: DNSName)] = []

  init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

  mutating func message() throws(WireError) -> DNSMessage {
    let (id, flags) = (try reader.readUInt16(), try reader.readUInt16())
    var counts: [Int] = []
    for _ in 0..<4 { counts.append(Int(try reader.readUInt16())) }
    guard counts.reduce(0, +) <= DNSMessage.recordsMax else { throw .tooLong }
    var message = DNSMessage(asking: try questions(counts[0]))
    message.id = id
    message.isResponse = flags & 0x8000 != 0
    message.isTruncated = flags & 0x0200 != 0
    message.isOrdinary = flags & 0x780F == 0
    message.answers = try records(counts[1])
    message.authorities = try records(counts[2])
    message.additionals = try records(counts[3])
    return message
  }

  private mutating func questions(_ count: Int) throws(WireError) -> [DNSQuestion] {
    var questions: [DNSQuestion] = []
    for _ in 0..<count {
      let name = try name()
      let type = DNSType(rawValue: try reader.readUInt16())
      let classBits = try reader.readUInt16()
      guard [1, 255].contains(classBits & 0x7FFF) else { continue }
      questions.append(DNSQuestion(name, type, wantsUnicast: classBits & 0x8000 != 0))
    }
    return questions
  }

  private mutating func records(_ count: Int) throws(WireError) -> [DNSRecord] {
    var records: [DNSRecord] = []
    for _ in 0..<count {
      if let record = try record() { records.append(record) }
    }
    return records
  }

  private mutating func record() throws(WireError) -> DNSRecord? {
    let name = try name()
    let type = DNSType(rawValue: try reader.readUInt16())
    let classBits = try reader.readUInt16()
    let lifetimeSeconds = try reader.readUInt32()
    let count = Int(try reader.readUInt16())
    let start = reader.offset
    try reader.skip(count)
    guard classBits & 0x7FFF == 1 else { return nil }
    let data: DNSData
    do { data = try self.data(of: type, in: start..<start + count) } catch { return nil }
    return DNSRecord(
      name, data, lifetimeSeconds: lifetimeSeconds, flushesCache: classBits & 0x8000 != 0)
  }

  private mutating func data(
    of type: DNSType, in range: Range<Int>
  ) throws(WireError) -> DNSData {
    let rest = reader
    defer { reader = rest }
    reader = ByteReader(rest.bytes, in: range)
    let data = try data(of: type)
    guard reader.isAtEnd else { throw .malformed }
    return data
  }

  private mutating func data(of type: DNSType) throws(WireError) -> DNSData {
    switch type {
    case .a: return .address(try address(byteCount: 4))
    case .aaaa: return .address(try address(byteCount: 16))
    case .ptr: return .pointer(try name())
    case .srv:
      let (priority, weight) = (try reader.readUInt16(), try reader.readUInt16())
      let port = try reader.readUInt16()
      return .service(priority: priority, weight: weight, port: port, host: try name())
    case .txt: return .text(try text())
    case .nsec: return .types(next: try name(), try types())
    default: return .other(type, reader.readRest())
    }
  }

  private mutating func address(byteCount: Int) throws(WireError) -> IPAddress {
    guard let address = IPAddress(bytes: try reader.readBytes(byteCount)) else { throw .malformed }
    return address
  }

  /// Strings, each whole; no bytes at all are read as one empty string (RFC 6763 §6.1).
  private mutating func text() throws(WireError) -> [UInt8] {
    var strings = reader
    while !strings.isAtEnd { try strings.skip(Int(try strings.readUInt8())) }
    let bytes = reader.readRest()
    return bytes.isEmpty ? [0] : bytes
  }

  /// The one block that multicast DNS allows: window 0, then 1 to 32 bytes of bits.
  private mutating func types() throws(WireError) -> [DNSType] {
    guard try reader.readUInt8() == 0 else { throw .malformed }
    let count = Int(try reader.readUInt8())
    guard (1...32).contains(count) else { throw .malformed }
    let bits = try reader.readBytes(count)
    return (0..<count * 8).filter { bits[$0 / 8] & (0x80 >> UInt8($0 % 8)) != 0 }
      .map { DNSType(rawValue: UInt16($0)) }
  }

  /// A name; pointers lead strictly backward, each before the stretch of labels it was found behind.
  private mutating func name() throws(WireError) -> DNSName {
    let start = reader.offset
    if let name = try knownName() { return name }
    let name = try newName()
    if names.count < Self.namesMax { names.append((start, name)) }
    return name
  }

  /// The name that a pointer alone leads to, if it was read before.
  private mutating func knownName() throws(WireError) -> DNSName? {
    var ahead = reader
    let length = try ahead.readUInt8()
    guard length >= 0xC0 else { return nil }
    let target = Int(length & 0x3F) << 8 | Int(try ahead.readUInt8())
    guard let name = names.first(where: { $0.offset == target })?.name else { return nil }
    reader = ahead
    return name
  }

  private mutating func newName() throws(WireError) -> DNSName {
    var wire: [UInt8] = []
    var (ahead, limit, pointers) = (reader, reader.offset, 0)
    while true {
      let length = try ahead.readUInt8()
      switch length {
      case 0:
        if pointers == 0 { reader = ahead }
        return DNSName(checkedWire: wire)
      case 1...63:
        guard wire.count + 1 + Int(length) <= DNSName.bytesMax else { throw .tooLong }
        wire.append(length)
        wire += try ahead.readBytes(Int(length))
      case 0xC0...0xFF:
        let target = Int(length & 0x3F) << 8 | Int(try ahead.readUInt8())
        if pointers == 0 { reader = ahead }
        pointers += 1
        guard pointers <= Self.pointersMax, target < limit, target >= Self.headerBytes else {
          throw .malformed
        }
        limit = target
        ahead = ByteReader(reader.bytes, in: target..<reader.bytes.count)
      default: throw .malformed
      }
    }
  }
}
