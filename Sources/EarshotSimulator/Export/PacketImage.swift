/// The bytes of a packet from the header of IP on, as they would go over a wire.
struct PacketImage {
  private(set) var bytes: [UInt8] = []

  /// The image of a datagram.
  init(datagram packet: PacketHeader, _ payload: ArraySlice<UInt8>, number: Int) {
    let udpBytes = 8 + payload.count
    beginIP(packet, 17, udpBytes, number)
    let start = bytes.count
    append(packet.source.port)
    append(packet.destination.port)
    append(UInt16(clamping: udpBytes))
    append(UInt16(0))
    bytes += payload
    let sum = checksum(from: start, 17, packet)
    store(sum == 0 ? 0xFFFF : sum, at: start + 6)
  }

  /// The image of a segment, or of a part of one.
  ///
  /// - Parameters:
  ///   - packet: The headers.
  ///   - tcp: The header of the segment.
  ///   - payload: The payload, or the part of it.
  ///   - offset: Where the part begins in the payload.
  ///   - offsets: What the numbers are moved by.
  ///   - number: The number of the event.
  init(
    segment packet: PacketHeader, _ tcp: TCPHeader, _ payload: ArraySlice<UInt8>, at offset: Int,
    _ offsets: SequenceSpaces.Offsets, number: Int
  ) {
    let options = Self.options(tcp, offsets)
    beginIP(packet, 6, 20 + options.count + payload.count, number)
    let start = bytes.count
    append(packet.source.port)
    append(packet.destination.port)
    // A probe names the last byte that was acknowledged, and asks with it to be told the same again (RFC 9293 §3.8.4).
    let position = tcp.sequenceNumber + offset - (tcp.flags.contains(.probe) ? 1 : 0)
    append(UInt32(truncatingIfNeeded: position) &+ offsets.sequence)
    let acknowledges = tcp.flags.contains(.ack)
    append(acknowledges ? Self.move(tcp.acknowledgementNumber, offsets) : 0)
    let headerWords = UInt8((20 + options.count) / 4)
    bytes += [headerWords << 4, tcp.flags.onWire]
    append(Self.window(tcp))
    append(UInt32(0))
    bytes += options
    bytes += payload
    store(checksum(from: start, 6, packet), at: start + 16)
  }

  // MARK: TCP

  private static func move(_ number: Int, _ offsets: SequenceSpaces.Offsets) -> UInt32 {
    UInt32(truncatingIfNeeded: number) &+ offsets.acknowledgement
  }

  /// The window in units of eight bytes, rounded up, but for that of a SYN.
  private static func window(_ tcp: TCPHeader) -> UInt16 {
    tcp.flags.contains(.syn)
      ? UInt16(clamping: tcp.window) : UInt16(clamping: (tcp.window + 7) >> windowShift)
  }

  private static func options(_ tcp: TCPHeader, _ offsets: SequenceSpaces.Offsets) -> [UInt8] {
    guard !tcp.flags.contains(.rst) else { return [] }
    var options = PacketImage()
    if tcp.flags.contains(.syn) {
      // The largest segment, 1,460 bytes, and selective acknowledgements.
      options.bytes += [2, 4, 5, 180, 4, 2]
    } else {
      options.bytes += [1, 1]
    }
    options.bytes += [8, 10]
    options.append(UInt32(truncatingIfNeeded: tcp.timestamp / 1_000_000))
    let echo = tcp.flags.contains(.ack) ? tcp.echoedTimestamp / 1_000_000 : 0
    options.append(UInt32(truncatingIfNeeded: echo))
    if tcp.flags.contains(.syn) { options.bytes += [1, 3, 3, UInt8(windowShift)] }
    let blocks = tcp.selectiveAcknowledgements.prefix(3)
    if !blocks.isEmpty {
      options.bytes += [1, 1, 5, UInt8(2 + 8 * blocks.count)]
      for block in blocks {
        options.append(move(block.lowerBound, offsets))
        options.append(move(block.upperBound, offsets))
      }
    }
    return options.bytes
  }

  private init() {}

  // MARK: IP

  private mutating func beginIP(
    _ packet: PacketHeader, _ transport: UInt8, _ count: Int, _ number: Int
  ) {
    bytes.reserveCapacity(count + 40)
    // Multicast DNS goes out with the largest hop limit (RFC 6762 §11).
    let hops: UInt8 = packet.destination.address.isMulticast ? 255 : 64
    switch packet.source.address {
    case .v4:
      bytes += [0x45, 0]
      append(UInt16(clamping: 20 + count))
      append(UInt16(truncatingIfNeeded: number))
      append(UInt16(transport == 6 ? 0x4000 : 0))
      bytes += [hops, transport, 0, 0]
      append(packet.source.address)
      append(packet.destination.address)
      var sum = InternetChecksum()
      sum.add(bytes)
      store(sum.value, at: 10)
    case .v6:
      append(UInt32(0x6000_0000))
      append(UInt16(clamping: count))
      bytes += [transport, hops]
      append(packet.source.address)
      append(packet.destination.address)
    }
  }

  /// The checksum of what begins at an offset, with the pseudo-header of IP.
  private func checksum(from start: Int, _ transport: UInt8, _ packet: PacketHeader) -> UInt16 {
    var sum = InternetChecksum()
    sum.add(packet.source.address)
    sum.add(packet.destination.address)
    sum.add(UInt16(transport))
    sum.add(UInt16(clamping: bytes.count - start))
    sum.add(bytes, from: start)
    return sum.value
  }

  // MARK: Bytes

  private mutating func append(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  private mutating func append(_ value: UInt32) {
    append(UInt16(truncatingIfNeeded: value >> 16))
    append(UInt16(truncatingIfNeeded: value))
  }

  private mutating func append(_ address: IPAddress) {
    switch address {
    case .v4(let bits): append(bits)
    case .v6(let high, let low, _):
      for word in [high, low] {
        append(UInt32(truncatingIfNeeded: word >> 32))
        append(UInt32(truncatingIfNeeded: word))
      }
    }
  }

  private mutating func store(_ value: UInt16, at offset: Int) {
    bytes[offset] = UInt8(truncatingIfNeeded: value >> 8)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
  }

  private static let windowShift = 3
}

extension TCPHeader.Flags {
  /// The byte of a TCP header.
  fileprivate var onWire: UInt8 {
    let bits: [(Self, UInt8)] = [(.fin, 1), (.syn, 2), (.rst, 4), (.ack, 16), (.probe, 16)]
    return bits.reduce(0) { contains($1.0) ? $0 | $1.1 : $0 }
  }
}
