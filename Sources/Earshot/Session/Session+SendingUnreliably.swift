import EarshotCore

extension Session {
  /// The size of the largest message that can be sent unreliably, in bytes: 65,536.
  public static var maximumUnreliableMessageBytes: Int { UnreliableMessage.messageBytesMax }

  /// Sends a message at once, or loses it: for what is worthless once it is late, such as positions in a game or sound.
  ///
  /// It arrives once at most, may be overtaken by others, and waits for nothing: not for messages that are sent
  /// reliably, nor for room, nor for a member that is interrupted. It goes in UDP datagrams, encrypted and authenticated
  /// under keys of the link, as soon as these are known to get through, which begins with the first call; until then,
  /// and where a firewall drops them, it goes over the link, and is lost when the link has not written yet what was to
  /// be sent before. Up to 1,166 bytes go in one datagram; a longer message is cut, and lost when a part of it is.
  ///
  /// What is sent faster than the path carries is lost here, so that a flood takes nothing from the link or from messages
  /// that are sent reliably: no more is sent than makes a queue of a tenth of a second on the way (a fifth on long ways),
  /// and 16 KiB and a message at first, until it is known how much the path carries. How many messages were lost on
  /// this side, and why, is in ``Session/statistics(of:)``.
  ///
  /// A member whose program takes no messages keeps 1 MiB of them, and loses what comes after.
  ///
  /// May be called from anywhere; the bytes are copied before the call returns. It does not suspend.
  ///
  /// - Parameters:
  ///   - message: Any number of bytes up to ``maximumUnreliableMessageBytes``, to the configuration's
  ///     `maximumMessageBytes`, and to what each of the members takes.
  ///   - recipients: The members that it is for.
  /// - Throws: `messageTooLarge` with the limit, `sessionEnded`, or `notConnected` with chosen peers that are no members, or if
  ///   there is no member. Nothing was sent then.
  public nonisolated func sendUnreliably(
    _ message: Span<UInt8>, to recipients: Recipients = .all
  ) throws(EarshotError) {
    let entries = try core.directory.entries(of: recipients)
    guard message.count <= Self.maximumUnreliableMessageBytes else {
      throw EarshotError(
        .messageTooLarge,
        "The message has \(message.count) bytes; \(Self.maximumUnreliableMessageBytes) can be sent "
          + "unreliably. Send it reliably, or in parts.")
    }
    try check(message.count, for: entries)
    for entry in entries { entry.unreliable.append(message) }
  }

  /// Sends a message at once, or loses it; as ``sendUnreliably(_:to:)-(Span<UInt8>,_)``.
  public nonisolated func sendUnreliably(
    _ message: [UInt8], to recipients: Recipients = .all
  ) throws(EarshotError) {
    try sendUnreliably(message.span, to: recipients)
  }

  /// Sends a message of any bytes, such as `Data`, at once, or loses it; as
  /// ``sendUnreliably(_:to:)-(Span<UInt8>,_)``.
  public nonisolated func sendUnreliably(
    _ message: some Collection<UInt8>, to recipients: Recipients = .all
  ) throws(EarshotError) {
    try sendUnreliably([UInt8](message).span, to: recipients)
  }
}
