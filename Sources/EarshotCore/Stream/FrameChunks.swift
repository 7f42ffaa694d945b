/// Whole frames, one behind the other, from the first that is not forgotten.
///
/// They stand in chunks: so nothing that waits is moved when frames before it are forgotten, and no frame is in
/// two chunks. A chunk may end in a large part of a message, which is not copied but shared with who sends it.
package struct FrameChunks: Hashable, Sendable {
  /// Where a frame begins, or the end; valid until frames are forgotten.
  package struct Place: Hashable, Comparable, Sendable {
    fileprivate var chunk = 0
    fileprivate var offset = 0

    package static func < (one: Place, other: Place) -> Bool {
      (one.chunk, one.offset) < (other.chunk, other.offset)
    }
  }
  /// What a frame's first bytes say.
  package struct Frame {
    /// Its length, header included.
    package let bytes: Int
    /// How many bytes of a message it carries; 0 if it is none.
    package let partBytes: Int
    /// Whether a message ends with it.
    package let isLastPart: Bool
    /// How much credit it takes: none if it is no part of a message.
    package var credit: Int { partBytes + (isLastPart ? ReceiveWindow.messageOverheadBytes : 0) }
    fileprivate let payloadStart: Int

    fileprivate init(in chunk: [UInt8], at start: Int) {
      guard let header = FrameHeader(chunk.span, at: start) else {
        preconditionFailure("a chunk has whole frames, and this is the start of none: \(start)")
      }
      (bytes, payloadStart) = (header.frameBytes, start + header.headerBytes)
      let isMessage = header.number == .message
      partBytes = isMessage ? header.payloadBytes - 1 : 0
      isLastPart = isMessage && chunk[payloadStart] == 1
    }
  }

  private struct Chunk: Hashable {
    /// Whole frames, but for what is shared of the last one.
    var frames: [UInt8] = []
    /// The end of the last frame; nothing is appended behind it.
    var shared: ArraySlice<UInt8> = []

    var count: Int { frames.count + shared.count }

    /// Copies what is shared.
    mutating func unshare() {
      frames += shared
      shared = []
    }
  }

  /// How many bytes the frames have that are not forgotten.
  package private(set) var count = 0
  private var chunks: [Chunk] = []
  private var head = 0  // Up to where the first chunk is forgotten.
  private var spare: [UInt8] = []  // Empty, but with the room of a chunk.
  private let chunkBytes: Int

  /// No frames.
  ///
  /// - Parameter chunkBytesMax: The most that a chunk has of several messages; one message may have more.
  package init(chunkBytesMax: Int) { chunkBytes = min(chunkBytesMax, Self.chunkBytesMax) }

  /// How much memory the chunks hold.
  package var allocatedBytes: Int {
    chunks.reduce(spare.capacity) { $0 + $1.frames.capacity + $1.shared.count }
  }

  /// Where the first frame begins.
  package var start: Place { Place(chunk: 0, offset: head) }

  /// Behind the last frame.
  package var end: Place { Place(chunk: max(0, chunks.count - 1), offset: chunks.last?.count ?? 0) }

  // MARK: Changes

  /// Appends whole frames, of about so many bytes.
  package mutating func append(byteCount: Int, _ body: (inout [UInt8]) -> Void) {
    if !hasRoom(forBytes: byteCount) { beginChunk(byteCount: byteCount) }
    let last = chunks.count - 1
    let before = chunks[last].frames.count
    body(&chunks[last].frames)
    count += chunks[last].frames.count - before
  }

  /// Appends a frame that ends in a part of a message, which is shared.
  package mutating func append(
    sharing part: ArraySlice<UInt8>, _ header: (inout [UInt8]) -> Void
  ) {
    if !hasRoom(forBytes: 0) { chunks.append(Chunk()) }
    let last = chunks.count - 1
    let before = chunks[last].frames.count
    header(&chunks[last].frames)
    chunks[last].shared = part
    count += chunks[last].count - before
  }

  /// Whether so many bytes belong into the last chunk.
  private func hasRoom(forBytes byteCount: Int) -> Bool {
    guard let last = chunks.last, last.shared.isEmpty else { return false }
    return last.frames.isEmpty || last.frames.count + byteCount <= chunkBytes
  }

  private mutating func beginChunk(byteCount: Int) {
    var chunk = Chunk()
    // The first one grows with what it gets, as does one behind what is shared: most of the time it gets little.
    if let last = chunks.last, last.shared.isEmpty {
      swap(&chunk.frames, &spare)
      chunk.frames.reserveCapacity(max(byteCount, chunkBytes))
    }
    chunks.append(chunk)
  }

  /// Forgets the frames before a place, which moves all places.
  ///
  /// - Parameters:
  ///   - place: Where a frame begins, or the end.
  ///   - cursor: Is moved with its frame; to the first one that is left, if that is forgotten.
  package mutating func removeAll(before place: Place, keeping cursor: inout Place) {
    for index in 0..<place.chunk {
      count -= chunks[index].count - head
      head = 0
      if spare.capacity == 0, (chunkBytes...2 * chunkBytes).contains(chunks[index].frames.capacity)
      {
        swap(&spare, &chunks[index].frames)
        spare.removeAll(keepingCapacity: true)
      }
    }
    chunks.removeSubrange(..<place.chunk)
    cursor = max(cursor, place)  // Where a chunk ends, the next one may have begun since.
    cursor.chunk -= place.chunk
    count -= place.offset - head
    head = place.offset
    guard count == 0 else { return }
    let isKept = chunks.last.map { $0.frames.capacity <= Self.keptBytesMax } ?? false
    chunks.removeFirst(chunks.count - (isKept ? 1 : 0))
    if isKept {
      chunks[0].frames.removeAll(keepingCapacity: true)
      chunks[0].shared = []
    }
    (head, spare, cursor) = (0, [], Place())
  }

  /// Cuts the part of a message that begins at a place in two, the first with so many bytes.
  ///
  /// - Precondition: The part has more.
  package mutating func cutPart(at place: Place, to partBytes: Int) {
    let (chunk, before) = (place.chunk, chunks[place.chunk].count)
    let frame = Frame(in: chunks[chunk].frames, at: place.offset)
    precondition(0 < partBytes && partBytes < frame.partBytes, "both parts have bytes")
    var (first, second): ([UInt8], [UInt8]) = ([], [])
    FrameEncoder.appendHeader(.message, payloadBytes: partBytes + 1, to: &first)
    FrameEncoder.appendHeader(.message, payloadBytes: frame.partBytes - partBytes + 1, to: &second)
    let flags = frame.payloadStart
    if place.offset + frame.bytes > chunks[chunk].frames.count { chunks[chunk].unshare() }
    second.append(chunks[chunk].frames[flags])
    chunks[chunk].frames.insert(contentsOf: second, at: flags + 1 + partBytes)
    chunks[chunk].frames.replaceSubrange(place.offset...flags, with: first + [0])
    count += chunks[chunk].count - before
  }

  // MARK: Frames

  /// Moves a place behind its frame and the next ones, up to one that is refused, or to the end.
  package func advance(_ place: inout Place, while isWanted: (Frame) -> Bool) {
    while place.chunk < chunks.count {
      let chunk = chunks[place.chunk]
      while place.offset < chunk.count {
        let frame = Frame(in: chunk.frames, at: place.offset)
        guard isWanted(frame) else { return }
        place.offset += frame.bytes
      }
      guard place.chunk + 1 < chunks.count else { return }
      place = Place(chunk: place.chunk + 1, offset: 0)
    }
  }

  /// Lends the frames between two places, chunk by chunk, what is shared apart.
  package func lend(from start: Place, to end: Place, _ body: (Span<UInt8>) -> Void) {
    var place = start
    while place != end {
      let chunk = chunks[place.chunk]
      let upTo = place.chunk == end.chunk ? end.offset : chunk.count
      let copied = min(upTo, chunk.frames.count)
      if place.offset < copied { body(chunk.frames.span.extracting(place.offset..<copied)) }
      if copied < upTo, place.offset < upTo { body(chunk.shared.span) }
      place = place.chunk == end.chunk ? end : Place(chunk: place.chunk + 1, offset: 0)
    }
  }

  private static let chunkBytesMax = 4 * (MessagePart.partBytesMax + 32)
  private static let keptBytesMax = 16_384
}
