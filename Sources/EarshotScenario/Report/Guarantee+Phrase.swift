import EarshotSimulator

extension [Guarantee] {
  /// The guarantees by name, and after them those that are missing: `messages, agreement; not links`.
  var phrase: String {
    let missing = Guarantee.allCases.filter { !contains($0) }
    let kept = map(\.rawValue).joined(separator: ", ")
    return missing.isEmpty
      ? kept : "\(kept); not \(missing.map(\.rawValue).joined(separator: ", "))"
  }
}
