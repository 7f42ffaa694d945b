/// ATTACH: asks that this link carry a membership.
///
/// ```
/// source session (8) | destination session (8) | epoch (varint) | received (varint) | window (varint)
///   | acknowledged (varint) | sent (varint)
/// ```
///
/// The positions say what the sender remembers of both streams, so that the receiver sees whether both
/// remember the same membership.
package struct Attach: FramePayload {
  package static let type = FrameType.attach

  /// The sender's session.
  package var source: SessionID
  /// The receiver's session.
  package var destination: SessionID
  /// The number of the link, from 1.
  package var epoch: UInt64
  /// How many bytes of the receiver's stream the sender has.
  package var received: UInt64
  /// How far beyond that the receiver may send.
  package var window: UInt64
  /// How many bytes of the sender's own stream it knows to have arrived.
  package var acknowledged: UInt64
  /// How many bytes of its own stream the sender has ever sent.
  package var sent: UInt64

  /// A request to attach.
  package init(
    source: SessionID, destination: SessionID, epoch: UInt64, received: UInt64, window: UInt64,
    acknowledged: UInt64 = 0, sent: UInt64 = 0
  ) {
    (self.source, self.destination) = (source, destination)
    (self.epoch, self.received, self.window) = (epoch, received, window)
    (self.acknowledged, self.sent) = (acknowledged, sent)
  }

  package init(reading reader: inout ByteReader) throws(WireError) {
    source = try reader.readSessionID()
    destination = try reader.readSessionID()
    epoch = try reader.readVarint()
    received = try reader.readVarint()
    window = try reader.readVarint()
    acknowledged = try reader.readVarint()
    sent = try reader.readVarint()
    guard acknowledged <= sent else { throw .malformed }
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(source)
    writer.write(destination)
    writer.writeVarint(epoch)
    writer.writeVarint(received)
    writer.writeVarint(window)
    writer.writeVarint(acknowledged)
    writer.writeVarint(sent)
  }
}

/// ATTACHED: this link carries the membership from now on.
///
/// ```
/// epoch (varint) | received (varint) | window (varint)
/// ```
package struct Attached: FramePayload {
  /// ATTACHED.
  package static let type = FrameType.attached

  /// The number of the link, from 1.
  package var epoch: UInt64
  /// How many bytes of the receiver's enduring stream the sender has, whole frames only.
  package var received: UInt64
  /// How far beyond `received` the receiver may send.
  package var window: UInt64

  /// An answer with the given parts.
  package init(epoch: UInt64, received: UInt64, window: UInt64) {
    (self.epoch, self.received, self.window) = (epoch, received, window)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    epoch = try reader.readVarint()
    received = try reader.readVarint()
    window = try reader.readVarint()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(epoch)
    writer.writeVarint(received)
    writer.writeVarint(window)
  }
}

/// LEAVE: the membership ends here, behind everything that was sent before.
///
/// ```
/// code (varint)
/// ```
package struct Leave: FramePayload {
  /// LEAVE.
  package static let type = FrameType.leave

  /// Why.
  package var code: CloseCode

  /// A farewell for a reason.
  package init(code: CloseCode) { self.code = code }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    code = CloseCode(rawValue: try reader.readVarint())
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) { writer.writeVarint(code.rawValue) }
}
