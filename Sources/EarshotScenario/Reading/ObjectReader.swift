/// One object of a file, read key by key; keys that were not asked for are mistakes.
final class ObjectReader {
  let path: String
  private let node: JSON5Node
  private let members: [JSON5Member]
  private let mistakes: Mistakes
  private var known: [String] = []

  /// Reads an object, or notes a mistake and has no keys when the value is something else.
  init(_ node: JSON5Node, path: String, mistakes: Mistakes) {
    (self.node, self.path, self.mistakes) = (node, path, mistakes)
    if case .object(let members) = node.value {
      self.members = members
    } else {
      members = []
      mistakes.add("expected an object { … }, found \(node.summary)", at: node.offset, path: path)
    }
  }

  /// The object itself.
  var wholeNode: JSON5Node { node }

  /// Keeps quiet about some keys, because a greater mistake hides what they mean.
  func forgive(_ keys: [String]) { known += keys.filter { !known.contains($0) } }

  /// Whether the object has the key; the key is known from now on.
  func has(_ key: String) -> Bool { member(key) != nil }

  /// The key's value as it stands in the file.
  func node(_ key: String) -> JSON5Node? { member(key)?.value }

  /// The key's value, or `nil` without the key or with a mistake in it.
  func value<Value>(_ key: String, _ rule: ValueRule<Value>) -> Value? {
    member(key).flatMap { rule.read($0.value, path: path(to: key), mistakes: mistakes) }
  }

  /// The key's value, or the default.
  func value<Value>(_ key: String, _ rule: ValueRule<Value>, default value: Value) -> Value {
    self.value(key, rule) ?? value
  }

  /// The value of a key that must be there.
  func required<Value>(_ key: String, _ rule: ValueRule<Value>) -> Value? {
    guard has(key) else {
      note("the key \"\(key)\" is missing: \(rule.allowed)", unlessMisspelt: [key])
      return nil
    }
    return value(key, rule)
  }

  /// What a function makes of each element of a list; a single value stands for a list of one.
  func list<Element>(_ key: String, _ read: (JSON5Node, String) -> Element?) -> [Element] {
    guard let member = member(key) else { return [] }
    guard case .array(let elements) = member.value.value else {
      return [read(member.value, path(to: key))].compactMap { $0 }
    }
    return elements.enumerated().compactMap { read($1, "\(path(to: key))[\($0)]") }
  }

  /// A reader of an object inside of this one.
  func object(_ key: String) -> ObjectReader? {
    member(key).map { ObjectReader($0.value, path: path(to: key), mistakes: mistakes) }
  }

  /// Notes a mistake about a key, or about the whole object; nothing more about what is no object.
  func note(
    _ reason: String, at key: String? = nil, unless explanation: Mistakes.Explanation? = nil
  ) {
    guard case .object = node.value else { return }
    let place = key.flatMap { key in members.first { $0.key == key } }
    mistakes.add(
      reason, at: place?.value.offset ?? node.offset, path: key.map { path(to: $0) } ?? path,
      unless: explanation)
  }

  /// Notes that keys are missing, unless it turns out that one of them stands here with a slip.
  func note(_ reason: String, unlessMisspelt keys: [String]) {
    note(reason, unless: .misspelling(object: node.offset, keys: keys))
  }

  /// Notes every key that was not asked for; called when all have been.
  func finish() {
    for member in members where !known.contains(member.key) {
      mistakes.add(unknown(member.key), at: member.offset, path: path(to: member.key))
    }
  }

  private func unknown(_ key: String) -> String {
    if let nearest = Spelling.nearest(to: key, among: known) {
      mistakes.explain(nearest, inObjectAt: node.offset)
      return "there is no key \"\(key)\" here; did you mean \"\(nearest)\"?"
    }
    return "there is no key \"\(key)\" here; the keys are \(known.sorted().joined(separator: ", "))"
  }

  private func member(_ key: String) -> JSON5Member? {
    if !known.contains(key) { known.append(key) }
    return members.first { $0.key == key }
  }

  private func path(to key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}
