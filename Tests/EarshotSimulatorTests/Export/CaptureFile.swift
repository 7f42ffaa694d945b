import EarshotSimulator

/// A capture file, read as its specification has it.
struct CaptureFile {
  struct Packet {
    let interface: Int
    let nanoseconds: UInt64
    let bytes: [UInt8]
    let comments: [String]
    let number: UInt64

    /// The address family's header, then that of the transport.
    var isV4: Bool { bytes[0] >> 4 == 4 }
    var transport: ArraySlice<UInt8> { bytes[(isV4 ? 20 : 40)...] }
    var protocolNumber: UInt8 { isV4 ? bytes[9] : bytes[6] }
    var payload: ArraySlice<UInt8> {
      transport.dropFirst(protocolNumber == 17 ? 8 : Int(transport.word8(12) >> 4) * 4)
    }
    var flags: UInt8 { transport.word8(13) }
    var sequence: UInt32 { transport.word32(4) }
    var acknowledgement: UInt32 { transport.word32(8) }

    /// Whether the sums over the headers are what they have to be.
    var isSound: Bool {
      let addresses = isV4 ? bytes[12..<20] : bytes[8..<40]
      let length = UInt16(transport.count)
      let pseudo = Array(addresses) + [0, protocolNumber, UInt8(length >> 8), UInt8(length & 255)]
      let isHeaderSound = !isV4 || Array(bytes[..<20]).onesSum == 0xFFFF
      return isHeaderSound && (pseudo + transport).onesSum == 0xFFFF
        && Int(isV4 ? bytes[...].word16(2) : bytes[...].word16(4) + 40) == bytes.count
    }
  }
  private(set) var interfaces: [String] = []
  private(set) var packets: [Packet] = []
  private(set) var journal: [[String: String]] = []
  private(set) var names: [String] = []

  /// Reads a file; every block has to be whole.
  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let (kind, size) = (rest.little32(0), Int(rest.little32(4)))
      guard size % 4 == 0, size >= 12, size <= rest.count, rest.little32(size - 4) == size else {
        throw Damage()
      }
      read(kind, Array(rest.dropFirst(8).prefix(size - 12))[...])
      rest = rest.dropFirst(size)
    }
  }

  struct Damage: Error {}

  private mutating func read(_ kind: UInt32, _ body: ArraySlice<UInt8>) {
    switch kind {
    case 1:
      let name = Self.options(body.dropFirst(8)).value(2)
      interfaces.append(String(decoding: name, as: UTF8.self))
    case 4:
      let start = body.little16(0) == 1 ? 8 : 20
      names.append(String(decoding: body.dropFirst(start).prefix { $0 != 0 }, as: UTF8.self))
    case 6: packets.append(Self.packet(body))
    case 9:
      let lines = String(decoding: body.prefix { $0 != 0 }, as: UTF8.self).split(separator: "\n")
      let pairs = lines.compactMap { line in
        line.firstIndex(of: "=").map {
          (String(line[..<$0]), String(line[line.index(after: $0)...]))
        }
      }
      journal.append(Dictionary(uniqueKeysWithValues: pairs))
    default: break
    }
  }

  private static func packet(_ body: ArraySlice<UInt8>) -> Packet {
    let count = Int(body.little32(12))
    let options = options(body.dropFirst(20 + (count + 3) / 4 * 4))
    let number = options.value(5)
    return Packet(
      interface: Int(body.little32(0)),
      nanoseconds: UInt64(body.little32(4)) << 32 | UInt64(body.little32(8)),
      bytes: Array(body.dropFirst(20).prefix(count)),
      comments: options.filter { $0.code == 1 }.map { String(decoding: $0.value, as: UTF8.self) },
      number: number.reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }

  private static func options(_ bytes: ArraySlice<UInt8>) -> [CaptureOption] {
    var options: [CaptureOption] = []
    var rest = bytes
    while rest.count >= 4, rest.little16(0) != 0 {
      let count = Int(rest.little16(2))
      options.append(
        CaptureOption(code: rest.little16(0), value: Array(rest.dropFirst(4).prefix(count))))
      rest = rest.dropFirst(4 + (count + 3) / 4 * 4)
    }
    return options
  }
}

struct CaptureOption {
  let code: UInt16
  let value: [UInt8]
}

extension [CaptureOption] {
  /// The value of the first option of a code.
  fileprivate func value(_ code: UInt16) -> [UInt8] { first { $0.code == code }.map(\.value) ?? [] }
}

extension ArraySlice<UInt8> {
  func word8(_ offset: Int) -> UInt8 { self[startIndex + offset] }
  func word16(_ offset: Int) -> UInt16 { UInt16(word8(offset)) << 8 | UInt16(word8(offset + 1)) }
  func word32(_ offset: Int) -> UInt32 { UInt32(word16(offset)) << 16 | UInt32(word16(offset + 2)) }
  func little16(_ offset: Int) -> UInt16 { word16(offset).byteSwapped }
  func little32(_ offset: Int) -> UInt32 { word32(offset).byteSwapped }
}

extension [UInt8] {
  /// The sum of 16-bit words with end-around carry.
  fileprivate var onesSum: UInt32 {
    var sum: UInt32 = 0
    for (index, byte) in enumerated() { sum += index % 2 == 0 ? UInt32(byte) << 8 : UInt32(byte) }
    while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
    return sum
  }
}
