import EarshotCore

/// What the name of a stream tells the program that gets it: `3/65536/film`.
///
/// The number of its flow, how many bytes it is to write back, if any, and the name in the
/// scenario.
struct StreamName: Hashable {
  let flow: Int
  let answer: Int?
  let label: String

  init(_ flow: Int, answer: Int?, _ label: String) {
    (self.flow, self.answer, self.label) = (flow, answer, label)
  }

  /// The parts of a name; `nil` if no program of a scenario has given it.
  init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let flow = Int(parts[0]), parts[1].isEmpty || Int(parts[1]) != nil
    else { return nil }
    self.init(flow, answer: Int(parts[1]), String(parts[2]))
  }

  var text: String { "\(flow)/\(answer.map(String.init) ?? "")/\(label)" }
}
