import EarshotScenario
import Foundation

/// What one process tells another about runs: an order there, a result back, each a line of JSON.
///
/// Both lines begin with a byte that no text has, so that whatever else a process prints can be told apart.
enum RunMessage {
  /// The order of a run, with all that it takes to run it.
  struct Order: Hashable, Sendable, Codable {
    var file: String
    var text: String
    var seed: UInt64
    var isRepeated: Bool
    var form: ReportForm

    init(_ order: RunOrder) {
      (file, text, seed) = (order.file, order.text, order.seed)
      (isRepeated, form) = (order.isRepeated, order.form)
    }
  }

  /// A message as its line.
  static func line(_ message: some Encodable) -> [UInt8] {
    let json = (try? JSONEncoder().encode(message)) ?? Data()
    return [mark] + json + [UInt8(ascii: "\n")]
  }

  /// The message of a line without its line break; `nil` when the line is something else.
  static func message<Message: Decodable>(_: Message.Type, in line: [UInt8]) -> Message? {
    guard line.first == mark else { return nil }
    return try? JSONDecoder().decode(Message.self, from: Data(line.dropFirst()))
  }

  /// The record separator of RFC 7464.
  private static let mark: UInt8 = 0x1E
}

/// The lines that come out of a descriptor.
struct DescriptorLines {
  private let descriptor: Int32
  private var rest: [UInt8] = []
  private var searched = 0
  private var hasEnded = false

  /// Reads a descriptor that somebody else closes.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next line without its line break, also one that the end cut short; `nil` at the end.
  mutating func next() -> [UInt8]? {
    while true {
      if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer {
          rest.removeFirst(end + 1)
          searched = 0
        }
        return Array(rest[..<end])
      }
      searched = rest.count
      guard !hasEnded else {
        defer { (rest, searched) = ([], 0) }
        return rest.isEmpty ? nil : rest
      }
      fill()
    }
  }

  private mutating func fill() {
    let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, count in
      var got = -1
      repeat {
        got = read(descriptor, buffer.baseAddress, buffer.count)
      } while got < 0
        && errno == EINTR
      count = max(0, got)
    }
    hasEnded = chunk.isEmpty
    rest += chunk
  }

  private static let chunkBytes = 1 << 16
}
