/// The blocks of a capture file (pcapng, draft-ietf-opsawg-pcapng), the least significant byte first.
enum CaptureBlock {
  /// An option of a block.
  enum Option: UInt16 {
    case comment = 1
    /// The program of a section's header; the name of an interface; the flags of a packet.
    case second = 2
    /// The description of an interface.
    case third = 3
    /// The program that wrote a section.
    case fourth = 4
    /// The number of a packet.
    case fifth = 5
    /// The resolution of an interface's timestamps.
    case ninth = 9
  }

  static func section(into file: inout FileBuffer) {
    write(0x0A0D_0D0A, into: &file) { file in
      file.append(littleEndian: UInt32(0x1A2B_3C4D))
      file.append(littleEndian: UInt16(1))
      file.append(littleEndian: UInt16(0))
      file.append(littleEndian: UInt64.max)
      add(.fourth, Array("Earshot's simulator".utf8), to: &file)
      endOptions(of: &file)
    }
  }

  /// A host, whose packets begin with the header of IP and have timestamps in nanoseconds.
  static func interface(_ name: String, into file: inout FileBuffer) {
    write(1, into: &file) { file in
      file.append(littleEndian: UInt16(101))
      file.append(littleEndian: UInt16(0))
      file.append(littleEndian: UInt32(0))
      add(.second, text(name), to: &file)
      add(.third, text("what \(name) sends"), to: &file)
      add(.ninth, [9], to: &file)
      endOptions(of: &file)
    }
  }

  /// The name of an address.
  static func name(of address: IPAddress, _ name: String, into file: inout FileBuffer) {
    write(4, into: &file) { file in
      let value = address.bytes + text(name).prefix(255) + [0]
      file.append(littleEndian: UInt16(address.family == .v4 ? 1 : 2))
      file.append(littleEndian: UInt16(value.count))
      file.append(value)
      pad(value.count, &file)
      file.append(littleEndian: UInt32(0))
    }
  }

  /// A packet that a host sent.
  static func packet(
    _ number: Int, at time: Instant, on interface: Int, _ bytes: [UInt8], comments: [String],
    into file: inout FileBuffer
  ) {
    write(6, into: &file) { file in
      let time = UInt64(max(0, time.nanoseconds))
      file.append(littleEndian: UInt32(interface))
      file.append(littleEndian: UInt32(truncatingIfNeeded: time >> 32))
      file.append(littleEndian: UInt32(truncatingIfNeeded: time))
      file.append(littleEndian: UInt32(bytes.count))
      file.append(littleEndian: UInt32(bytes.count))
      file.append(bytes)
      pad(bytes.count, &file)
      for comment in comments { add(.comment, text(comment), to: &file) }
      file.append(littleEndian: Option.second.rawValue)
      file.append(littleEndian: UInt16(4))
      file.append(littleEndian: UInt32(2))  // Outbound.
      file.append(littleEndian: Option.fifth.rawValue)
      file.append(littleEndian: UInt16(8))
      file.append(littleEndian: UInt64(number))
      endOptions(of: &file)
    }
  }

  /// A line of a journal, which Wireshark shows among the packets.
  static func journal(_ fields: [(String, String)], into file: inout FileBuffer) {
    write(9, into: &file) { file in
      var lines: [UInt8] = []
      for (name, value) in fields {
        lines += Array("\(name)=".utf8)
        lines += text(value)
        lines.append(0x0A)
      }
      file.append(lines)
      pad(lines.count, &file)
    }
  }

  // MARK: Parts

  private static func write(
    _ kind: UInt32, into file: inout FileBuffer, _ body: (inout FileBuffer) -> Void
  ) {
    let start = file.bytes.count
    file.append(littleEndian: kind)
    file.append(littleEndian: UInt32(0))
    body(&file)
    let size = UInt32(file.bytes.count - start + 4)
    file.append(littleEndian: size)
    file.replace(at: start + 4, littleEndian: size)
    file.flushIfLarge()
  }

  private static func add(_ option: Option, _ value: [UInt8], to file: inout FileBuffer) {
    file.append(littleEndian: option.rawValue)
    file.append(littleEndian: UInt16(value.count))
    file.append(value)
    pad(value.count, &file)
  }

  private static func endOptions(of file: inout FileBuffer) { file.append(littleEndian: UInt32(0)) }

  private static func pad(_ count: Int, _ file: inout FileBuffer) {
    for _ in 0..<(4 - count % 4) % 4 { file.append(0) }
  }

  /// A text of one line, cut off where an option would not hold it.
  private static func text(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
      bytes += Array(String(isControl ? "\u{FFFD}" : scalar).utf8)
      if bytes.count > textBytesMax { return bytes + Array("…".utf8) }
    }
    return bytes
  }

  private static let textBytesMax = 32_000
}
