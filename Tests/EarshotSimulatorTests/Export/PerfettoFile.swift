/// A trace of Perfetto, decoded by the rules of Protocol Buffers alone.
struct PerfettoFile {
  struct Event {
    let time: UInt64
    let kind: UInt64
    let track: UInt64
    let name: String
    let annotations: [String: String]
    let flows: [UInt64]
    let lastFlows: [UInt64]
    let count: UInt64?
  }
  struct Track {
    let name: String
    let parent: UInt64?
    let isCounter: Bool
  }
  private(set) var events: [Event] = []
  private(set) var tracks: [UInt64: Track] = [:]
  /// Whether each packet says that it goes on with the sequence that the first one begins.
  private(set) var isOneSequence = true
  private var texts: [Int: [UInt64: String]] = [:]

  init(_ bytes: [UInt8]) throws {
    for (index, packet) in try Message(bytes[...]).messages(1).enumerated() {
      isOneSequence =
        isOneSequence && packet.numbers(10) == [1]
        && packet.numbers(13) == [index == 0 ? 1 : 2]
      for data in try packet.messages(12) { try intern(data) }
      for track in try packet.messages(60) { try add(track) }
      for event in try packet.messages(11) { try add(event, at: packet.numbers(8)[0]) }
    }
  }

  /// The path of a track: its name behind those above it.
  func path(_ uuid: UInt64) -> String {
    guard let track = tracks[uuid] else { return "?" }
    return (track.parent.map { path($0) + "/" } ?? "") + track.name
  }

  private mutating func intern(_ data: Message) throws {
    for field in [2, 3, 29] {
      for entry in try data.messages(field) {
        texts[field, default: [:]][entry.numbers(1)[0]] = entry.texts(2)[0]
      }
    }
  }

  private mutating func add(_ track: Message) throws {
    tracks[track.numbers(1)[0]] = Track(
      name: track.texts(2)[0], parent: track.numbers(5).first,
      isCounter: try !track.messages(8).isEmpty)
  }

  private mutating func add(_ event: Message, at time: UInt64) throws {
    var annotations: [String: String] = [:]
    for annotation in try event.messages(4) {
      let name = texts[3]?[annotation.numbers(1)[0]] ?? "?"
      let text = annotation.numbers(17).first.map { texts[29]?[$0] ?? "?" }
      annotations[name] = text ?? annotation.numbers(4).map(String.init).joined()
    }
    events.append(
      Event(
        time: time, kind: event.numbers(9)[0], track: event.numbers(11)[0],
        name: event.numbers(10).first.map { texts[2]?[$0] ?? "?" } ?? "", annotations: annotations,
        flows: event.numbers(47), lastFlows: event.numbers(48), count: event.numbers(30).first))
  }
}

/// The fields of a message, by number.
private struct Message {
  private var numbers: [Int: [UInt64]] = [:]
  private var bytes: [Int: [ArraySlice<UInt8>]] = [:]

  struct Damage: Error {}

  init(_ input: ArraySlice<UInt8>) throws {
    var rest = input
    while !rest.isEmpty {
      let tag = try Self.varint(&rest)
      let field = Int(tag >> 3)
      switch tag & 7 {
      case 0: numbers[field, default: []].append(try Self.varint(&rest))
      case 1:
        guard rest.count >= 8 else { throw Damage() }
        let value = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        numbers[field, default: []].append(value)
        rest = rest.dropFirst(8)
      case 2:
        let count = Int(try Self.varint(&rest))
        guard rest.count >= count else { throw Damage() }
        bytes[field, default: []].append(rest.prefix(count))
        rest = rest.dropFirst(count)
      default: throw Damage()
      }
    }
  }

  func numbers(_ field: Int) -> [UInt64] { numbers[field] ?? [] }
  func texts(_ field: Int) -> [String] {
    (bytes[field] ?? []).map { String(decoding: $0, as: UTF8.self) }
  }
  func messages(_ field: Int) throws -> [Message] { try (bytes[field] ?? []).map(Message.init) }

  private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while let byte = rest.popFirst() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw Damage()
  }
}
