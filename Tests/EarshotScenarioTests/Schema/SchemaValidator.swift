import EarshotScenario
import Foundation

/// Validates a JSON document with the part of JSON Schema that the schema of scenarios uses.
struct SchemaValidator {
  private let root: JSON5Node

  init(_ text: String) throws { root = try JSON5Parser.parse(text) }

  /// The properties of a definition, or of the document; of its objects where there is a choice.
  func properties(_ name: String? = nil) -> Set<String> {
    let schema = name.map { root["$defs"]?[$0] ?? root } ?? root
    let choices = (schema["anyOf"]?.elements ?? []) + [schema]
    return Set(choices.flatMap { $0["properties"]?.members ?? [] }.map(\.key))
  }

  func accepts(_ json: String) throws -> Bool { isValid(try JSON5Parser.parse(json), root) }

  private func isValid(_ value: JSON5Node, _ schema: JSON5Node) -> Bool {
    (schema.members ?? []).allSatisfy { isValid(value, $0.key, $0.value, of: schema) }
  }

  private func isValid(_ value: JSON5Node, _ word: String, _ rule: JSON5Node, of schema: JSON5Node)
    -> Bool
  {
    switch word {
    case "$ref":
      let target = rule.string.flatMap { root["$defs"]?[$0.replacing("#/$defs/", with: "")] }
      return target.map { isValid(value, $0) } ?? false
    case "anyOf": return rule.elements.contains { isValid(value, $0) }
    case "enum": return rule.elements.contains { $0.string == value.string }
    case "type": return isOfType(value, rule.string ?? "")
    case "pattern":
      guard let text = value.string, let pattern = rule.string else { return true }
      return text.range(of: pattern, options: .regularExpression) != nil
    case "minLength": return (value.string?.count).map { Double($0) >= number(rule) ?? 0 } ?? true
    case "maxLength": return (value.string?.count).map { Double($0) <= number(rule) ?? 0 } ?? true
    case "minimum": return number(value).map { $0 >= number(rule) ?? 0 } ?? true
    case "maximum": return number(value).map { $0 <= number(rule) ?? 0 } ?? true
    case "required":
      return value.members == nil || rule.elements.allSatisfy { value[$0.string ?? ""] != nil }
    case "items":
      guard case .array(let elements) = value.value else { return true }
      return elements.allSatisfy { isValid($0, rule) }
    case "properties":
      return (value.members ?? []).allSatisfy { member in
        rule[member.key].map { isValid(member.value, $0) } ?? true
      }
    case "additionalProperties":
      let others = (value.members ?? []).filter { schema["properties"]?[$0.key] == nil }
      if case .bool(false) = rule.value { return others.isEmpty }
      return others.allSatisfy { isValid($0.value, rule) }
    case "$schema", "title", "$defs": return true
    default: return false  // A word that this validator does not know.
    }
  }

  private func number(_ value: JSON5Node) -> Double? {
    if case .number(let text) = value.value { Double(text) } else { nil }
  }

  private func isOfType(_ value: JSON5Node, _ type: String) -> Bool {
    switch (type, value.value) {
    case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool),
      ("number", .number):
      true
    case ("integer", .number): number(value).map { $0 == $0.rounded() } ?? false
    default: false
    }
  }
}
