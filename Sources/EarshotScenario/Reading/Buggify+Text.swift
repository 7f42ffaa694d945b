import Earshot
import EarshotSimulator

extension Buggify {
  /// The points of a scenario: `true`, `false`, or the names of some; `nil` for anything else.
  init?(_ node: JSON5Node) {
    switch node.value {
    case .bool(let isOn): self = isOn ? .drawn : .off
    case .array(let elements):
      let points = elements.compactMap { $0.string.flatMap(BuggifyPoint.init(rawValue:)) }
      guard points.count == elements.count else { return nil }
      self = .only(points.map(\.rawValue))
    case .null, .number, .string, .object: return nil
    }
  }

  /// The value of a scenario for it; `nil` for none.
  var node: JSON5Node? {
    switch self {
    case .off, .only([]): nil
    case .drawn: JSON5Node(.bool(true))
    case .only(let names): JSON5Node(.array(names.map { .text($0) }))
    }
  }

  /// What a value of a scenario may be.
  static var rule: ValueRule<Buggify> {
    let names = BuggifyPoint.allCases.map(\.rawValue)
    var rule = ValueRule<Buggify>(
      "true, false, or a list of points of BUGGIFY (\(names.joined(separator: ", ")))"
    ) { Buggify($0) }
    rule.words = names
    return rule
  }
}
