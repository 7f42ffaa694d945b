import EarshotCore

extension FuzzTarget {
  /// Fragments of a few messages in any order, any of them more than once or never, at whatever times.
  ///
  /// What is put together is what was cut, whole, and from fragments of this message alone; and when all of them have come
  /// in time, and nothing was given up meanwhile, it is.
  static let assembly = FuzzTarget("assembly", bytesMax: 2_048) { bytes in
    var input = InputReader(bytes)
    var (assembler, now) = (FragmentAssembler(), Instant(nanoseconds: 0))
    var open: [Int: OpenMessage] = [:]
    while !input.isAtEnd {
      now = now + .milliseconds(input.number(below: 8) == 0 ? Int(input.byte()) * 8 : 1)
      let number = input.number(below: 8)
      let message = cutMessages[number]
      let index = input.number(below: message.parts.count)
      let contents = message.parts[index]
      guard case .fragment(let fragment)? = DatagramContents.parse(contents.span) else {
        throw BrokenLaw(description: "a fragment is not read as written")
      }
      let payload = contents.span.extracting(
        DatagramContents.Parsed.fragment(fragment).payloadStart...)
      let whole = assembler.take(fragment, payload, at: now)
      var known = open[number] ?? OpenMessage(at: now, assembler.incompleteCount)
      if known.mayBeGone(at: now, assembler.incompleteCount) {
        known = known.begun(at: now, with: index, assembler.incompleteCount)
      }
      known.came.insert(index)
      known.certain.insert(index)
      if let whole {
        try law(whole == message.bytes, "a message is put together wrongly")
        try law(known.came.count == message.parts.count, "a message is whole without all of it")
        open[number] = nil
      } else {
        try law(known.certain.count < message.parts.count, "a message that is whole is kept")
        open[number] = known
      }
    }
  }
}

/// More than are kept at a time.
private let cutMessages = (0..<8).map(CutMessage.init)

/// A message and what it is cut into.
private struct CutMessage {
  let bytes: [UInt8]
  let parts: [[UInt8]]

  init(_ number: Int) {
    let count = DatagramContents.messageBytesMax + 1 + number * 9_001
    let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 ^ number &* 97) }
    var parts: [[UInt8]] = []
    DatagramContents.cut(message.span, number: UInt64(number)) { contents in
      parts.append((0..<contents.count).map { contents[$0] })
    }
    (bytes, self.parts) = (message, parts)
  }
}

/// What has come of a message that is not whole.
private struct OpenMessage {
  /// The fragments that may still be kept.
  var came: Set<Int> = []
  /// Those that are kept for sure: none of the message can have been given up since.
  var certain: Set<Int> = []
  private let began: Instant
  private let incomplete: Int

  init(at now: Instant, _ incomplete: Int) { (began, self.incomplete) = (now, incomplete) }

  /// Whether the message may have been given up: it is old, or something was.
  func mayBeGone(at now: Instant, _ incomplete: Int) -> Bool {
    incomplete != self.incomplete || now - began >= FragmentAssembler.lifetime
  }

  /// The same when nothing is certain any more.
  func begun(at now: Instant, with index: Int, _ incomplete: Int) -> OpenMessage {
    var next = OpenMessage(at: now, incomplete)
    next.came = came
    return next
  }
}
