import EarshotCore
import EarshotSimulator
import EarshotTLS

/// What packets carry, in the words of the protocol: the frames that end in a segment, or what a datagram asks or says.
struct FrameNames {
  /// One direction of a connection.
  private struct Flow: Hashable {
    let source: Endpoint
    let destination: Endpoint
  }
  private struct Stream {
    var decoder: FrameDecoder? = FrameDecoder()
    var next = 0
    /// What is left of the bytes by which each side identifies itself before the first frame.
    var preambleLeft = PlainChannel.preambleBytes
    /// What was found in each segment, for those that are sent again.
    var found: [Int: String] = [:]
  }
  private var streams: [Flow: Stream] = [:]

  /// What a packet carries that is sent now.
  mutating func name(of event: TraceEvent) -> String {
    guard let packet = event.packet else { return event.label }
    guard let tcp = packet.tcp else { return Self.name(ofDatagram: event.payload, packet) }
    let flow = Flow(source: packet.source, destination: packet.destination)
    if tcp.flags.contains(.syn) { streams[flow] = nil }
    guard !event.payload.isEmpty else { return tcp.flags.description }
    var stream = streams[flow] ?? Stream()
    defer { streams[flow] = stream }
    if let found = stream.found[tcp.sequenceNumber] { return "\(found), again" }
    guard tcp.sequenceNumber == stream.next else { return "bytes" }
    stream.next += event.payload.count
    let name = Self.frames(in: event.payload, &stream)
    stream.found[tcp.sequenceNumber] = name
    return name
  }

  private static func frames(in bytes: [UInt8], _ stream: inout Stream) -> String {
    let preamble = min(stream.preambleLeft, bytes.count)
    stream.preambleLeft -= preamble
    var names: [String] = []
    do throws(FrameError) {
      try stream.decoder?.decode(bytes.span.extracting(preamble...)) {
        type, _, _ throws(FrameError) in
        names.append(type.description)
        return true
      }
    } catch { stream.decoder = nil }
    if stream.decoder == nil { return "bytes" }
    if names.isEmpty { return preamble > 0 ? "its identity" : "a part of a frame" }
    var counted: [(name: String, count: Int)] = []
    for name in names {
      if counted.last?.name == name {
        counted[counted.count - 1].count += 1
      } else {
        counted.append((name, 1))
      }
    }
    return counted.map { $0.count > 1 ? "\($0.count) x \($0.name)" : $0.name }
      .joined(separator: ", ")
  }

  private static func name(ofDatagram bytes: [UInt8], _ packet: PacketHeader) -> String {
    guard packet.destination.port == 5_353, bytes.count > 2 else { return "a datagram" }
    return bytes[2] & 0x80 == 0 ? "a query of mDNS" : "a response of mDNS"
  }
}
