import EarshotCore
import EarshotSimulator

/// A number of a document that may be smaller: a count, a size or a duration.
struct SmallerValue {
  /// What kind of number it is.
  private enum Unit { case count, bytes, nanoseconds }
  private let unit: Unit
  /// How much it is, in its unit.
  let amount: Int64
  /// The smallest amount that makes sense.
  let simplest: Int64
  /// Differences that are not worth a run.
  let grain: Int64

  /// The number of a value, or `nil` when it is none, or cannot be smaller.
  init?(_ node: JSON5Node, at path: NodePath) {
    guard let key = path.lastKey, !Self.fixed.contains(key), path.steps.first != .key("expect")
    else { return nil }
    switch node.value {
    case .number(let text):
      guard let number = Int64(text), number > 1 else { return nil }
      (unit, amount, simplest, grain) = (.count, number, 1, 1)
    case .string(let text):
      if let duration = Quantity.duration(of: text), duration > .zero {
        (unit, amount, simplest) = (.nanoseconds, duration.nanoseconds, 0)
        grain = max(1_000_000, amount / 8)
      } else if let bytes = Quantity.bytes(of: text), bytes > 1 {
        (unit, amount, simplest, grain) = (.bytes, Int64(bytes), 1, max(1, Int64(bytes) / 8))
      } else {
        return nil
      }
    case .null, .bool, .array, .object: return nil
    }
    if amount <= simplest { return nil }
  }

  /// An amount with few digits near another one.
  func rounded(_ amount: Int64) -> Int64 {
    guard unit == .nanoseconds else { return amount }
    let step: Int64 =
      amount > 2_000_000_000 ? 1_000_000_000 : amount > 200_000_000 ? 100_000_000 : 1_000_000
    return amount / step * step
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
      case ("links", _), ("groups", .key), ("expect", .index): parts.append(path)
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
