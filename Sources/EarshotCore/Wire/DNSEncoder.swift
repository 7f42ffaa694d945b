/// Writes names and records, each end of a name only once.
struct DNSEncoder {
  private(set) var bytes: [UInt8] = []
  private let compresses: Bool
  private let compressesServices: Bool
  private var names: [(suffix: ArraySlice<UInt8>, offset: Int)] = []

  /// An empty packet.
  ///
  /// - Parameters:
  ///   - compresses: Whether the end of a name may be a pointer to where it stands already.
  ///   - compressesServices: Whether that holds for the host in a service record too; resolvers that know
  ///     only unicast DNS do not expect it (RFC 6762 §18.14).
  init(compresses: Bool = true, compressesServices: Bool = true) {
    (self.compresses, self.compressesServices) = (compresses, compressesServices)
  }

  /// A place to come back to.
  struct Mark { let (bytes, names): (Int, Int) }

  var mark: Mark { Mark(bytes: bytes.count, names: names.count) }

  mutating func rewind(to mark: Mark) {
    bytes.removeLast(bytes.count - mark.bytes)
    names.removeLast(names.count - mark.names)
  }

  mutating func write(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  mutating func replace(at offset: Int, with value: UInt16) {
    bytes[offset] = UInt8(truncatingIfNeeded: value >> 8)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
  }

  mutating func write(_ question: DNSQuestion) {
    write(question.name)
    write(question.type.rawValue)
    write(question.wantsUnicast ? 0x8001 : 1)
  }

  mutating func write(_ record: DNSRecord) {
    write(record.name)
    write(record.type.rawValue)
    write(record.flushesCache ? 0x8001 : 1)
    write(UInt16(truncatingIfNeeded: record.lifetimeSeconds >> 16))
    write(UInt16(truncatingIfNeeded: record.lifetimeSeconds))
    let lengthOffset = bytes.count
    write(UInt16(0))
    write(record.data)
    replace(at: lengthOffset, with: UInt16(truncatingIfNeeded: bytes.count - lengthOffset - 2))
  }

  mutating func write(_ data: DNSData) {
    switch data {
    case .address(let address): bytes += address.bytes
    case .pointer(let name): write(name)
    case .service(let priority, let weight, let port, let host):
      write(priority)
      write(weight)
      write(port)
      write(host, compressing: compressesServices)
    case .text(let strings): bytes += strings.isEmpty ? [0] : strings
    case .types(let next, let types):
      write(next)
      write(types)
    case .other(_, let content): bytes += content
    }
  }

  private mutating func write(_ types: [DNSType]) {
    var bits = [UInt8](repeating: 0, count: 1)
    for type in types where type.rawValue < 256 {
      let index = Int(type.rawValue) / 8
      while bits.count <= index { bits.append(0) }
      bits[index] |= 0x80 >> UInt8(type.rawValue % 8)
    }
    bytes += [0, UInt8(bits.count)] + bits
  }

  private mutating func write(_ name: DNSName, compressing: Bool = true) {
    var start = 0
    for offset in name.labelOffsets {
      let suffix = name.foldedSuffix(from: offset)
      if compresses, compressing, let known = names.first(where: { $0.suffix == suffix }) {
        bytes += name.wire[start..<offset]
        write(0xC000 | UInt16(known.offset))
        return
      }
      let place = bytes.count + offset - start
      if compresses, place < 0x4000 { names.append((suffix, place)) }
      bytes += name.wire[start..<offset]
      start = offset
    }
    bytes += name.wire[start...]
    bytes.append(0)
  }
}

extension DNSMessage {
  /// The message as packets, as few as its length allows.
  ///
  /// Known answers that do not fit follow in further packets, announced by the bit for that; the answers of a
  /// response follow in packets of their own kind; what is only added is left out when it does not fit. A
  /// packet above the bound has a single record, and none exceeds 9,000 bytes.
  ///
  /// - Parameters:
  ///   - bytesMax: The length to stay below.
  ///   - compressesServices: Whether hosts in service records are compressed.
  /// - Returns: At least one packet.
  package func packets(
    bytesMax: Int = comfortableBytes, compressesServices: Bool = true
  ) -> [[UInt8]] {
    var packing = DNSPacking(
      message: self, bytesMax: bytesMax, compressesServices: compressesServices)
    return packing.run()
  }
}

/// The distribution of one message over packets.
private struct DNSPacking {
  private static let headerBytes = 12
  private let message: DNSMessage
  private let bytesMax: Int
  private let compressesServices: Bool
  private var packets: [[UInt8]] = []
  private var encoder = DNSEncoder()
  private var counts: [UInt16] = [0, 0, 0, 0]

  init(message: DNSMessage, bytesMax: Int, compressesServices: Bool) {
    self.message = message
    self.bytesMax = bytesMax
    self.compressesServices = compressesServices
  }

  mutating func run() -> [[UInt8]] {
    begin()
    for question in message.questions { add(in: 0) { $0.write(question) } }
    for record in message.answers { add(in: 1) { $0.write(record) } }
    for record in message.authorities { add(in: 2) { $0.write(record) } }
    for record in message.additionals { addIfItFits { $0.write(record) } }
    end(isTruncated: message.isTruncated)
    return packets
  }

  private mutating func begin() {
    encoder = DNSEncoder(compressesServices: compressesServices)
    counts = [0, 0, 0, 0]
    for _ in 0..<Self.headerBytes / 2 { encoder.write(UInt16(0)) }
  }

  private mutating func end(isTruncated: Bool) {
    encoder.replace(at: 0, with: message.id)
    encoder.replace(
      at: 2, with: message.isResponse ? 0x8400 : isTruncated ? 0x0200 : 0)
    for (section, count) in counts.enumerated() {
      encoder.replace(at: 4 + 2 * section, with: count)
    }
    packets.append(encoder.bytes)
  }

  private mutating func add(in section: Int, _ write: (inout DNSEncoder) -> Void) {
    if fits(in: section, upTo: bytesMax, write) { return }
    if counts != [0, 0, 0, 0] {
      end(isTruncated: section == 1)
      begin()
      if fits(in: section, upTo: bytesMax, write) { return }
    }
    _ = fits(in: section, upTo: DNSMessage.packetBytesMax, write)
  }

  private mutating func addIfItFits(_ write: (inout DNSEncoder) -> Void) {
    _ = fits(in: 3, upTo: bytesMax, write)
  }

  private mutating func fits(
    in section: Int, upTo limit: Int, _ write: (inout DNSEncoder) -> Void
  ) -> Bool {
    let mark = encoder.mark
    write(&encoder)
    guard encoder.bytes.count <= limit, counts.reduce(0, +) < DNSMessage.recordsMax else {
      encoder.rewind(to: mark)
      return false
    }
    counts[section] += 1
    return true
  }
}
