/// Where in a document a value stands: the keys and indices on the way to it.
package struct NodePath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    case key(String)
    case index(Int)
  }
  package var steps: [Step]

  package init(_ steps: [Step] = []) { self.steps = steps }

  func appending(_ step: Step) -> NodePath { NodePath(steps + [step]) }

  /// The key of the innermost object that it goes through.
  var lastKey: String? {
    for step in steps.reversed() {
      if case .key(let key) = step { return key }
    }
    return nil
  }
}

extension JSON5Node {
  /// This document with another value at a place, or without it.
  func replacing(_ path: NodePath, with node: JSON5Node?) -> JSON5Node {
    replacing(path.steps[...], with: node) ?? self
  }

  private func replacing(_ steps: ArraySlice<NodePath.Step>, with node: JSON5Node?) -> JSON5Node? {
    guard let step = steps.first else { return node }
    switch (step, value) {
    case (.key(let key), .object(let members)):
      guard let member = members.first(where: { $0.key == key }) else { return self }
      return setting(key, member.value.replacing(steps.dropFirst(), with: node))
    case (.index(let index), .array(var elements)):
      guard elements.indices.contains(index) else { return self }
      if let element = elements[index].replacing(steps.dropFirst(), with: node) {
        elements[index] = element
      } else {
        elements.remove(at: index)
      }
      return JSON5Node(.array(elements))
    default: return self
    }
  }

  /// This document without the values at some places.
  func removing(_ paths: [NodePath]) -> JSON5Node {
    // From the end, so that indices stay what they are.
    paths.sorted { Self.isBehind($0, $1) }.reduce(self) { $0.replacing($1, with: nil) }
  }

  private static func isBehind(_ left: NodePath, _ right: NodePath) -> Bool {
    for (one, other) in zip(left.steps, right.steps) where one != other {
      switch (one, other) {
      case (.index(let one), .index(let other)): return one > other
      case (.key(let one), .key(let other)): return one > other
      case (.key, .index): return true
      case (.index, .key): return false
      }
    }
    return left.steps.count > right.steps.count
  }

  /// Every value within this one, outer ones first.
  func visit(_ path: NodePath = NodePath(), _ body: (NodePath, JSON5Node) -> Void) {
    body(path, self)
    switch value {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        element.visit(path.appending(.index(index)), body)
      }
    case .object(let members):
      for member in members { member.value.visit(path.appending(.key(member.key)), body) }
    case .null, .bool, .number, .string: break
    }
  }
}
