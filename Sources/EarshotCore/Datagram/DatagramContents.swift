/// What a datagram carries, once it is opened.
///
/// ```
/// 0        1
/// +--------+--------------------------------------------------------- … -+
/// | 0      | token, 8 bytes | zeros                                      |   challenge
/// | 1      | token, 8 bytes                                              |   answer
/// | 2      | the message, up to 1,166 bytes                              |   message
/// | 3      | message, 8 bytes | index | count − 1 | 1,156 bytes or less  |   fragment
/// | 4      | number, 8 bytes                                             |   probe
/// | 5      | number of the probe, 8 | received datagrams, 8 | time, 8  |   receipt
/// +--------+--------------------------------------------------------- … -+
/// ```
///
/// All numbers are big-endian. A challenge asks the other side to prove that it is where the datagram went, by an answer
/// with the same token (RFC 9000 §8.2); filled up with zeros to the size of the largest datagram, it also proves that
/// such a one gets through. A message that does not fit is cut into fragments, all of the same length but the last. A
/// probe asks how many datagrams have come, which the receipt says (``CongestionWindow``).
package enum DatagramContents {
  /// The largest datagram, in bytes of UDP payload: what every path of IPv6 carries (RFC 9000 §14).
  package static let datagramBytesMax = 1_200
  /// How many of these the protection takes.
  package static let overheadBytes = 33
  /// The largest contents.
  package static let bytesMax = datagramBytesMax - overheadBytes
  /// The largest message that goes in one datagram.
  package static let messageBytesMax = bytesMax - 1
  /// The length of each fragment but the last.
  package static let fragmentBytes = bytesMax - fragmentHeaderBytes
  /// The most fragments of one message.
  package static let fragmentsMax = (UnreliableMessage.messageBytesMax - 1) / fragmentBytes + 1

  static let fragmentHeaderBytes = 11

  /// The first byte.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case challenge, answer, message, fragment, probe, receipt
  }

  /// A part of a message.
  package struct Fragment: Hashable, Sendable {
    /// Which message of this direction it is a part of.
    package let message: UInt64
    /// Which part it is, from 0.
    package let index: Int
    /// How many parts the message has, from 2.
    package let count: Int
  }

  /// What was read.
  package enum Parsed: Hashable, Sendable {
    case challenge(UInt64)
    case answer(UInt64)
    /// The message is what follows the first byte.
    case message
    /// The part is what follows the header.
    case fragment(Fragment)
    case probe(UInt64)
    case receipt(CongestionWindow.Receipt)

    /// Where the message, or the part of one, begins.
    package var payloadStart: Int {
      switch self {
      case .challenge, .answer, .message, .probe, .receipt: 1
      case .fragment: fragmentHeaderBytes
      }
    }
  }

  /// Says what some contents are, or `nil` if they are none.
  package static func parse(_ contents: Span<UInt8>) -> Parsed? {
    guard contents.count > 0, contents.count <= bytesMax, let kind = Kind(rawValue: contents[0])
    else { return nil }
    switch kind {
    case .challenge: return contents.count >= 9 ? .challenge(number(in: contents, at: 1)) : nil
    case .answer: return contents.count == 9 ? .answer(number(in: contents, at: 1)) : nil
    case .message: return .message
    case .fragment: return fragment(contents).map(Parsed.fragment)
    case .probe: return contents.count == 9 ? .probe(number(in: contents, at: 1)) : nil
    case .receipt: return contents.count == 25 ? .receipt(receipt(contents)) : nil
    }
  }

  private static func receipt(_ contents: Span<UInt8>) -> CongestionWindow.Receipt {
    CongestionWindow.Receipt(
      probe: number(in: contents, at: 1), receivedCount: number(in: contents, at: 9),
      nanoseconds: number(in: contents, at: 17))
  }

  private static func fragment(_ contents: Span<UInt8>) -> Fragment? {
    guard contents.count > fragmentHeaderBytes else { return nil }
    let (index, count) = (Int(contents[9]), Int(contents[10]) + 1)
    guard (2...fragmentsMax).contains(count), index < count,
      index == count - 1 || contents.count == bytesMax
    else { return nil }
    return Fragment(message: number(in: contents, at: 1), index: index, count: count)
  }

  // MARK: Writing

  /// A question for the path, as long as the largest contents if it is to prove that those get through.
  package static func challenge(_ token: UInt64, isPadded: Bool) -> [UInt8] {
    let contents = bytes(.challenge, token)
    let padding = isPadded ? bytesMax - contents.count : 0
    return contents + [UInt8](repeating: 0, count: padding)
  }

  /// The answer to it.
  package static func answer(_ token: UInt64) -> [UInt8] { bytes(.answer, token) }

  /// A question of how many datagrams have come.
  package static func probe(_ number: UInt64) -> [UInt8] { bytes(.probe, number) }

  /// The answer to it.
  package static func receipt(_ receipt: CongestionWindow.Receipt) -> [UInt8] {
    bytes(.receipt, receipt.probe, receipt.receivedCount, receipt.nanoseconds)
  }

  private static func bytes(_ kind: Kind, _ numbers: UInt64...) -> [UInt8] {
    var writer = ByteWriter([kind.rawValue])
    for number in numbers { writer.write(number) }
    return writer.bytes
  }

  /// Cuts a message that does not fit into one datagram.
  ///
  /// - Parameters:
  ///   - message: At least two fragments' worth, and at most ``UnreliableMessage/messageBytesMax``.
  ///   - number: Which one of this direction it is.
  ///   - body: Takes each datagram's contents, in order.
  package static func cut(
    _ message: Span<UInt8>, number: UInt64, _ body: (Span<UInt8>) -> Void
  ) {
    precondition(
      message.count > messageBytesMax && message.count <= UnreliableMessage.messageBytesMax,
      "a message of \(message.count) bytes is not cut")
    let count = (message.count - 1) / fragmentBytes + 1
    for index in 0..<count {
      var writer = ByteWriter([Kind.fragment.rawValue])
      writer.write(number)
      writer.write(UInt8(index))
      writer.write(UInt8(count - 1))
      var contents = writer.bytes
      let start = index * fragmentBytes
      let end = min(start + fragmentBytes, message.count)
      contents.append(copying: message.extracting(start..<end))
      body(contents.span)
    }
  }

  private static func number(in contents: Span<UInt8>, at offset: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in offset..<offset + 8 { value = value << 8 | UInt64(contents[index]) }
    return value
  }
}
