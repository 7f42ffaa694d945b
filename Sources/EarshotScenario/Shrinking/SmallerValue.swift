import EarshotCore
import EarshotSimulator

/// A number of a document that may be smaller: a count, a size or a duration.
struct SmallerValue {
  /// What kind of number it is.
  private enum Unit { case count, bytes, nanoseconds }
  private let unit: Unit
  /// How much it is, in its unit.
  let amount: ReducibleAmount

  /// The number of a value, or `nil` when it is none, or cannot be smaller.
  init?(_ node: JSON5Node, at path: NodePath) {
    guard let key = path.lastKey, !Self.fixed.contains(key), path.steps.first != .key("expect")
    else { return nil }
    let amount: ReducibleAmount?
    switch node.value {
    case .number(let text): (unit, amount) = (.count, Int64(text).flatMap { .count($0) })
    case .string(let text):
      if let duration = Quantity.duration(of: text) {
        (unit, amount) = (.nanoseconds, .time(duration))
      } else {
        (unit, amount) = (.bytes, Quantity.bytes(of: text).flatMap { .bytes(Int64($0)) })
      }
    case .null, .bool, .array, .object: return nil
    }
    guard let amount else { return nil }
    self.amount = amount
  }

  /// The value with an amount.
  func node(_ amount: Int64) -> JSON5Node {
    switch unit {
    case .count: JSON5Node(.number("\(amount)"))
    case .bytes: .text(Quantity.size(Int(amount)))
    case .nanoseconds: .text(Quantity.time(.nanoseconds(amount)))
    }
  }

  /// Keys whose numbers say something else than how much, or belong to the failure.
  private static let fixed: Set<String> = [
    "seed", "schedule", "id", "rates", "mtu", "name", "info",
  ]
}

extension JSON5Node {
  /// The value at a place.
  func node(at path: NodePath) -> JSON5Node? {
    path.steps.reduce(self) { node, step in
      switch step {
      case .key(let key): node?[key]
      case .index(let index):
        node.flatMap { $0.elements.indices.contains(index) ? $0.elements[index] : nil }
      }
    }
  }
}

extension ScenarioDocument {
  /// What may be left out of what peers do, of the links, the groups and the expectations.
  var optionalParts: [NodePath] {
    var parts: [NodePath] = []
    root.visit { path, _ in
      guard path.steps.count >= 2, case .key(let first) = path.steps[0],
        let last = path.steps.last
      else { return }
      switch (first, last) {
      // Peers and faults themselves have their own turn.
      case ("peers", .key(let key)) where key != "name": parts.append(path)
      case ("peers", .index) where path.steps.count > 2: parts.append(path)
      case ("faults", .key(let key)) where !Self.needed.contains(key): parts.append(path)
      case ("links", _), ("groups", .key), ("expect", .index), ("buggify", .index):
        parts.append(path)
      default: break
      }
    }
    for key in ["description", "service", "groups", "links"] where root[key] != nil {
      parts.append(NodePath([.key(key)]))
    }
    return parts
  }

  private static let needed: Set<String> = [
    "at", "kind", "id", "peer", "from", "to", "between", "groups", "for",
  ]
}
