/// The first two integers of a frame: its number, and the length of its payload.
struct FrameHeader: Hashable, Sendable {
  /// The number of the frame.
  let number: FrameNumber
  /// How many bytes the header takes.
  let headerBytes: Int
  /// The length of the payload as declared, which may exceed the bound of a frame.
  let payloadBytes: Int

  /// Reads the header at a position, or returns `nil` when it is not complete.
  init?(_ bytes: Span<UInt8>, at offset: Int) {
    var end = offset
    guard let number = Varint.read(bytes, at: &end), let length = Varint.read(bytes, at: &end)
    else { return nil }
    self.number = FrameNumber(rawValue: number)
    (headerBytes, payloadBytes) = (end - offset, Int(length))
  }

  /// How many bytes the frame takes, header included.
  var frameBytes: Int { headerBytes + payloadBytes }
}
