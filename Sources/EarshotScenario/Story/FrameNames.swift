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
    /// What was found in the last segments, for those that are sent again, and where these begin in order.
    var found: [Int: String] = [:]
    var starts: [Int] = []

    mutating func keep(_ name: String, at start: Int) {
      found[start] = name
      starts.append(start)
      guard starts.count == 2 * FrameNames.keptMax else { return }
      for start in starts.prefix(FrameNames.keptMax) { found[start] = nil }
      starts.removeFirst(FrameNames.keptMax)
    }
  }
  private var streams: [Flow: Stream] = [:]
  /// The peers whose packets are named, all others are just bytes; `nil` for all peers.
  private let peers: Set<String>?

  /// The names of what some peers send to each other, or all.
  init(of peers: Set<String>? = nil) { self.peers = peers }

  /// What a packet carries that is sent now.
  mutating func name(of event: TraceEvent) -> String {
    guard let packet = event.packet else { return event.label }
    guard let tcp = packet.tcp else { return Self.name(ofDatagram: event.payload, packet) }
    if let peers, !peers.contains(event.from) || !peers.contains(event.to) { return Self.bytes }
    let flow = Flow(source: packet.source, destination: packet.destination)
    if tcp.flags.contains(.syn) { streams[flow] = nil }
    guard !event.payload.isEmpty else { return tcp.flags.description }
    // In its place: a copy of what was found costs more than all the rest.
    return Self.name(of: event.payload, at: tcp.sequenceNumber, &streams[flow, default: Stream()])
  }

  private static func name(
    of payload: [UInt8], at start: Int, _ stream: inout Stream
  ) -> String {
    if let found = stream.found[start] { return "\(found), again" }
    guard start == stream.next else { return bytes }
    stream.next += payload.count
    let name = frames(in: payload, &stream)
    stream.keep(name, at: start)
    return name
  }

  private static func frames(in bytes: [UInt8], _ stream: inout Stream) -> String {
    let preamble = min(stream.preambleLeft, bytes.count)
    stream.preambleLeft -= preamble
    var counted: [(name: FrameNumber, count: Int)] = []
    do throws(FrameError) {
      try stream.decoder?.decode(bytes.span.extracting(preamble...)) {
        type, _, _ throws(FrameError) in
        if counted.last?.name == type {
          counted[counted.count - 1].count += 1
        } else {
          counted.append((type, 1))
        }
        return true
      }
    } catch { stream.decoder = nil }
    if stream.decoder == nil { return Self.bytes }
    if counted.isEmpty { return preamble > 0 ? "its identity" : "a part of a frame" }
    return counted.map { $0.count > 1 ? "\($0.count) x \($0.name)" : "\($0.name)" }
      .joined(separator: ", ")
  }

  private static func name(ofDatagram bytes: [UInt8], _ packet: PacketHeader) -> String {
    guard packet.destination.port == 5_353, bytes.count > 2 else { return "a datagram" }
    return bytes[2] & 0x80 == 0 ? query : response
  }

  /// Whether a name is that of a packet of discovery.
  static func isDiscovery(_ name: String) -> Bool { name == query || name == response }

  private static let bytes = "bytes"
  private static let query = "a query of mDNS"
  private static let response = "a response of mDNS"
  private static let keptMax = 1_024
}
