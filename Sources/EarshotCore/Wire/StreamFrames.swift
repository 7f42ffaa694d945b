/// OPEN: a stream begins.
///
/// ```
/// place (varint) | kind (1) | name (string, ≤ 255 bytes)
///
/// kind:  bits 0–1 priority: 0 urgent, 1 high, 2 normal, 3 low; bit 2 set: only the sender writes;
///        8: it carries a resource
/// ```
///
/// The place counts the streams that the sender has opened in the membership, from 1, without gaps.
package struct StreamOpening: FramePayload {
  /// OPEN.
  package static let type = FrameType.open

  /// The place among the streams that the sender has opened, from 1.
  package var place: UInt64
  /// Who goes first at the sender, and at the receiver until its program says otherwise.
  package var priority: StreamPriority
  /// Whether both sides write, rather than the sender alone.
  package var isTwoWay: Bool
  /// What the program calls it; several streams may share a name.
  package var name: String

  /// An opening with the given parts.
  package init(place: UInt64, priority: StreamPriority, isTwoWay: Bool, name: String) {
    (self.place, self.priority, self.isTwoWay, self.name) = (place, priority, isTwoWay, name)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    place = try reader.readVarint()
    let kind = try reader.readUInt8()
    guard 0 < place, place <= StreamNumber.ordinalMax,
      let priority = StreamPriority(rawValue: kind & ~4)
    else { throw .malformed }
    (self.priority, isTwoWay) = (priority, kind & 4 == 0)
    name = try reader.readPrefixedString(maxBytes: FrameBounds.streamNameBytesMax)
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(place)
    writer.write(priority.rawValue | (isTwoWay ? 0 : 4))
    writer.writePrefixed(name)
  }
}

/// The priority of a stream on the wire; a smaller number goes first.
package enum StreamPriority: UInt8, Hashable, Sendable, CaseIterable {
  case urgent = 0
  case high = 1
  case normal = 2
  case low = 3
  /// That of every stream that carries a resource: after all others.
  case resource = 8
}

/// Why one direction of a stream ends before its end.
package struct StreamAbort: Hashable, Sendable {
  /// Where the decision comes from.
  package enum Reason: UInt64, Hashable, Sendable, CaseIterable {
    /// The program decided, and the code is its own.
    case program = 0
    /// The program let go of the stream.
    case dropped = 1
    /// The session of the sender was left.
    case left = 2
    /// The receiver of the frame broke the rules of the stream.
    case violation = 3
  }

  /// Where the decision comes from.
  package var reason: Reason
  /// The number that the program gives; 0 if it was not the program.
  package var code: UInt64

  /// An end with the given parts.
  package init(_ reason: Reason, code: UInt64 = 0) { (self.reason, self.code) = (reason, code) }
}

/// What RESET and STOP carry.
package protocol StreamEnding: FramePayload {
  /// The stream.
  var stream: StreamNumber { get }
  /// Why.
  var abort: StreamAbort { get }

  /// The ending of one direction of a stream, for a reason.
  init(_ stream: StreamNumber, _ abort: StreamAbort)
}

extension StreamEnding {
  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    self.init(try reader.readStreamNumber(), try reader.readStreamAbort())
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(stream.rawValue)
    writer.write(abort)
  }
}

/// RESET: the sender writes nothing more to a stream, and takes back what was not received.
///
/// ```
/// stream (varint) | reason (varint) | code (varint)
///
/// reason:  0 the program, 1 dropped, 2 the session was left, 3 the other side broke the rules
/// ```
package struct StreamReset: StreamEnding {
  /// RESET.
  package static let type = FrameType.reset

  /// The stream.
  package var stream: StreamNumber
  /// Why.
  package var abort: StreamAbort

  /// A reset of a stream for a reason.
  package init(_ stream: StreamNumber, _ abort: StreamAbort) {
    (self.stream, self.abort) = (stream, abort)
  }
}

/// STOP: the sender reads nothing more of a stream; the other side resets it.
///
/// ```
/// stream (varint) | reason (varint) | code (varint)    as RESET
/// ```
package struct StreamStop: StreamEnding {
  /// STOP.
  package static let type = FrameType.stop

  /// The stream.
  package var stream: StreamNumber
  /// Why.
  package var abort: StreamAbort

  /// The wish that a stream be reset.
  package init(_ stream: StreamNumber, _ abort: StreamAbort) {
    (self.stream, self.abort) = (stream, abort)
  }
}

/// CREDIT: how much more may be sent; outside of the log, and stated again on each link.
///
/// ```
/// streams (varint) | { stream (varint) | limit (varint) } …
/// ```
///
/// All numbers are absolute and never decrease.
package struct Credit: FramePayload {
  /// CREDIT.
  package static let type = FrameType.credit
  /// The most limits of one frame.
  package static let limitsMax = 1_024

  /// How far one stream may be written.
  package struct Limit: Hashable, Sendable {
    /// The stream.
    package var stream: StreamNumber
    /// The bytes of payload from its beginning; messages count 64 more each.
    package var bytes: UInt64

    /// The limit of a stream.
    package init(_ stream: StreamNumber, _ bytes: UInt64) {
      (self.stream, self.bytes) = (stream, bytes)
    }
  }

  /// How many streams the receiver may open in the membership, those it has opened included.
  package var streams: UInt64
  /// The limits that have changed.
  package var limits: [Limit]

  /// Credit with the given parts.
  package init(streams: UInt64, limits: [Limit]) { (self.streams, self.limits) = (streams, limits) }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    (streams, limits) = (try reader.readVarint(), [])
    while !reader.isAtEnd {
      guard limits.count < Self.limitsMax else { throw .tooLong }
      let stream = try reader.readStreamNumber(orMessages: true)
      limits.append(Limit(stream, try reader.readVarint()))
    }
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(streams)
    for limit in limits {
      writer.writeVarint(limit.stream.rawValue)
      writer.writeVarint(limit.bytes)
    }
  }
}

/// DATA: the next bytes of a stream.
///
/// ```
/// stream (varint) | flags (1) | bytes
///
/// flags: bit 0 = nothing follows them, the other bits are 0
/// ```
///
/// Without bytes only as the end of a stream.
package struct StreamData: Hashable, Sendable {
  /// The stream.
  package let stream: StreamNumber
  /// Whether the sender writes nothing more.
  package let isFinal: Bool
  /// Where in the payload the bytes begin.
  package let start: Int

  /// The most bytes of one frame.
  package static let bytesMax = FrameEncoder.payloadBytesMax - 9

  /// Reads what stands before the bytes.
  ///
  /// - Throws: An error if the payload is not one of DATA.
  package init(payload: Span<UInt8>) throws(FrameError) {
    var offset = 0
    guard let number = Varint.read(payload, at: &offset), number > 1, offset < payload.count,
      payload[offset] <= 1, offset + 1 < payload.count || payload[offset] == 1
    else { throw FrameError(.malformed(.malformed), type: .data, payloadBytes: payload.count) }
    (stream, isFinal) = (StreamNumber(rawValue: number), payload[offset] == 1)
    start = offset + 1
  }

  /// How many bytes a frame takes, header included.
  package static func frameBytes(_ stream: StreamNumber, bytes: Int) -> Int {
    FrameEncoder.frameBytes(.data, payloadBytes: Varint.length(of: stream.rawValue) + 1 + bytes)
  }

  /// Appends what stands before the bytes of a frame.
  package static func appendHeader(
    _ stream: StreamNumber, bytes: Int, isFinal: Bool, to wire: inout [UInt8]
  ) {
    let payloadBytes = Varint.length(of: stream.rawValue) + 1 + bytes
    FrameEncoder.appendHeader(.data, payloadBytes: payloadBytes, to: &wire)
    Varint.append(stream.rawValue, to: &wire)
    wire.append(isFinal ? 1 : 0)
  }
}

extension ByteReader {
  mutating func readStreamNumber(orMessages: Bool = false) throws(WireError) -> StreamNumber {
    let number = try readVarint()
    guard number > 1 || orMessages && number == 0 else { throw .malformed }
    return StreamNumber(rawValue: number)
  }

  mutating func readStreamAbort() throws(WireError) -> StreamAbort {
    guard let reason = StreamAbort.Reason(rawValue: try readVarint()) else { throw .malformed }
    let code = try readVarint()
    guard reason == .program || code == 0 else { throw .malformed }
    return StreamAbort(reason, code: code)
  }

  mutating func readGrant() throws(WireError) -> ChannelGrant {
    ChannelGrant(messageLimit: try readVarint(), streams: try readVarint())
  }
}

extension ByteWriter {
  mutating func write(_ abort: StreamAbort) {
    writeVarint(abort.reason.rawValue)
    writeVarint(abort.code)
  }

  mutating func write(_ grant: ChannelGrant) {
    writeVarint(grant.messageLimit)
    writeVarint(grant.streams)
  }
}

/// What one side of a membership grants the other one, as ACCEPT, ATTACH and ATTACHED state it.
///
/// ```
/// credit of the messages (varint) | streams (varint)
/// ```
package struct ChannelGrant: Hashable, Sendable {
  /// How far the messages may be sent, in bytes from the beginning of the membership, 64 more for
  /// each.
  package var messageLimit: UInt64
  /// How many streams the receiver may open in the membership, those it has opened included.
  package var streams: UInt64

  /// A grant of so much.
  package init(messageLimit: UInt64, streams: UInt64) {
    (self.messageLimit, self.streams) = (messageLimit, streams)
  }
}
