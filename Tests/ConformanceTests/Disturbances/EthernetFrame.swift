/// A frame of Ethernet with what a cable has to know of it.
struct EthernetFrame {
  private(set) var bytes: [UInt8]

  /// Which way a segment goes.
  struct Flow: Hashable {
    /// The addresses and ports of both sides, as they are in the packet.
    let source: [UInt8]
    let destination: [UInt8]

    var opposite: Flow { Flow(source: destination, destination: source) }
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  // MARK: Reading

  private static let ip = 14
  private var isIPv4: Bool { bytes.count >= Self.ip + 20 && number16(12) == 0x0800 }
  /// Where the header behind IP's begins.
  private var transport: Int { Self.ip + Int(bytes[Self.ip] & 0x0F) * 4 }
  private var packetEnd: Int { min(bytes.count, Self.ip + number16(Self.ip + 2)) }

  var isDatagram: Bool { isIPv4 && bytes[Self.ip + 9] == 17 }
  var isSegment: Bool { isIPv4 && bytes[Self.ip + 9] == 6 }
  var isMulticast: Bool { isDatagram && bytes[Self.ip + 16] & 0xF0 == 0xE0 }

  /// Where the payload of a datagram or a segment lies.
  var payload: Range<Int> {
    let header = isSegment ? Int(bytes[transport + 12] >> 4) * 4 : 8
    return min(transport + header, packetEnd)..<packetEnd
  }

  /// The flow of a segment, what it says, and the sequence number behind it.
  var segment: (flow: Flow, end: UInt32)? {
    guard isSegment else { return nil }
    let flags = bytes[transport + 13]
    let extra = (flags & 2 != 0 ? 1 : 0) + (flags & 1 != 0 ? 1 : 0)  // SYN and FIN count.
    let flow = Flow(
      source: Array(bytes[Self.ip + 12..<Self.ip + 16] + bytes[transport..<transport + 2]),
      destination: Array(
        bytes[Self.ip + 16..<Self.ip + 20] + bytes[transport + 2..<transport + 4]))
    return (flow, number32(transport + 4) &+ UInt32(payload.count + extra))
  }

  private func number16(_ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }

  private func number32(_ index: Int) -> UInt32 {
    UInt32(number16(index)) << 16 | UInt32(number16(index + 2))
  }

  private mutating func set(_ number: Int, at index: Int) {
    (bytes[index], bytes[index + 1]) = (UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
  }

  // MARK: Damage

  /// Changes a bit of the payload; a datagram goes on without a checksum.
  mutating func corrupt() {
    guard let last = payload.last else { return }
    bytes[last] ^= 0x10
    if isDatagram { set(0, at: transport + 6) }
  }

  /// Takes the last byte of the payload away; the headers of a datagram say so, those of a segment do not.
  mutating func truncate() {
    guard !payload.isEmpty else { return }
    let end = packetEnd - 1
    if isDatagram {
      set(end - Self.ip, at: Self.ip + 2)
      set(end - transport, at: transport + 4)
      set(0, at: transport + 6)
      setHeaderChecksum()
    }
    bytes.removeSubrange(end...)
  }

  private mutating func setHeaderChecksum() {
    set(0, at: Self.ip + 10)
    set(Self.checksum(bytes[Self.ip..<min(transport, bytes.count)]), at: Self.ip + 10)
  }

  /// The checksum of the Internet (RFC 1071).
  private static func checksum(_ bytes: some Sequence<UInt8>) -> Int {
    var (sum, isHigh) = (0, true)
    for byte in bytes {
      sum += isHigh ? Int(byte) << 8 : Int(byte)
      isHigh.toggle()
    }
    while sum > 0xFFFF { sum = (sum & 0xFFFF) + sum >> 16 }
    return ~sum & 0xFFFF
  }

  // MARK: Resets

  /// A reset in a flow, which follows what was sent in it.
  ///
  /// - Parameters:
  ///   - flow: The flow.
  ///   - sequence: The next sequence number that the receiver waits for.
  ///   - addresses: The addresses of Ethernet of the receiver and the sender.
  /// - Returns: The frame.
  static func reset(in flow: Flow, at sequence: UInt32, addresses: [UInt8]) -> EthernetFrame {
    var frame = EthernetFrame(addresses + [8, 0, 0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0])
    let (source, destination) = (flow.source, flow.destination)
    frame.bytes += source.prefix(4) + destination.prefix(4)
    frame.setHeaderChecksum()
    var segment = Array(source.suffix(2) + destination.suffix(2))
    segment += (0..<4).map { UInt8(truncatingIfNeeded: sequence >> (24 - 8 * $0)) }
    segment += [0, 0, 0, 0, 0x50, 0x04, 0, 0, 0, 0, 0, 0]
    let pseudoHeader = Array(source.prefix(4) + destination.prefix(4)) + [0, 6, 0, 20]
    let sum = checksum(pseudoHeader + segment)
    (segment[16], segment[17]) = (UInt8(sum >> 8), UInt8(sum & 0xFF))
    frame.bytes += segment
    return frame
  }
}
