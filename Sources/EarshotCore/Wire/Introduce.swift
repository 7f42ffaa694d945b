/// INTRODUCE: another member of the sender's session, or the sender itself, and where it may be dialled.
///
/// ```
/// peer (32) | session (8) | seniority (varint) | capacity (varint) | display name (string)
///   | count (varint, ≤ 8) | endpoint …
///
/// endpoint:  4 or 16 (1) | address (4 or 16) | port (2)
/// ```
///
/// The scope of a link-local address means nothing to others and does not travel.
package struct Introduce: FramePayload {
  /// INTRODUCE.
  package static let type = FrameType.introduce

  /// The member's identifier.
  package var peer: PeerID
  /// The member's session.
  package var session: SessionID
  /// How early the member's session joined its group.
  package var seniority: UInt64
  /// How many peers the member's session can have, its own included; at least 2.
  package var capacity: Int
  /// How the member wishes to be called.
  package var displayName: String
  /// Where it may be dialled, the most promising first; at most eight.
  package var endpoints: [Endpoint]

  /// An introduction with the given parts.
  ///
  /// - Precondition: `displayName` has 1 through 63 bytes, and there are at most eight endpoints.
  package init(
    peer: PeerID, session: SessionID, seniority: UInt64, capacity: Int, displayName: String,
    endpoints: [Endpoint]
  ) {
    precondition(
      1...FrameBounds.displayNameBytesMax ~= displayName.utf8.count
        && endpoints.count <= FrameBounds.endpointsMax && capacity >= 2,
      "the parts of an introduction are within their bounds")
    (self.peer, self.session) = (peer, session)
    (self.seniority, self.capacity) = (seniority, capacity)
    (self.displayName, self.endpoints) = (displayName, endpoints)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    peer = try reader.readPeerID()
    session = try reader.readSessionID()
    seniority = try reader.readSeniority()
    capacity = try reader.readCapacity()
    displayName = try reader.readDisplayName()
    endpoints = []
    let count = try reader.readVarint()
    guard count <= UInt64(FrameBounds.endpointsMax) else { throw .tooLong }
    for _ in 0..<count { endpoints.append(try reader.readEndpoint()) }
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.write(peer.bytes)
    writer.write(session)
    writer.writeVarint(seniority)
    writer.writeVarint(UInt64(capacity))
    writer.writePrefixed(displayName)
    writer.writeVarint(UInt64(endpoints.count))
    for endpoint in endpoints { writer.write(endpoint) }
  }
}

/// RETRACT: takes an introduction back; the peer is a member of the sender's session no longer.
///
/// ```
/// peer (32) | session (8)
/// ```
package struct Retract: FramePayload {
  /// RETRACT.
  package static let type = FrameType.retract

  /// The former member's identifier.
  package var peer: PeerID
  /// The session that it was a member with.
  package var session: SessionID

  /// A retraction with the given parts.
  package init(peer: PeerID, session: SessionID) { (self.peer, self.session) = (peer, session) }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    peer = try reader.readPeerID()
    session = try reader.readSessionID()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.write(peer.bytes)
    writer.write(session)
  }
}

extension ByteReader {
  fileprivate mutating func readEndpoint() throws(WireError) -> Endpoint {
    let length = try readUInt8()
    guard length == 4 || length == 16,
      let address = IPAddress(bytes: try readBytes(Int(length)))
    else { throw .malformed }
    return Endpoint(address, port: try readUInt16())
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ endpoint: Endpoint) {
    let address = endpoint.address.bytes
    write(UInt8(address.count))
    write(address)
    write(endpoint.port)
  }
}
