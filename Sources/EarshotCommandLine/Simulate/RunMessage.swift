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
    var policy: ExplorationPolicy?
    var isBuggified: Bool
    /// The variables that were set; they are in place in the text already.
    var settings: [String]

    init(_ order: RunOrder) {
      (file, text, seed) = (order.file, order.text, order.seed)
      (isRepeated, form, policy) = (order.isRepeated, order.form, order.policy)
      (isBuggified, settings) = (order.isBuggified, order.scenario.origin.settings)
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
