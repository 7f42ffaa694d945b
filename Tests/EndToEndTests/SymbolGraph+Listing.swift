/// A listing of a public interface, made for readers of a difference: each line stands by itself.
///
/// ```
/// Peer | actor Peer: Actor, Sendable
/// Peer | func rename(to name: String) throws(EarshotError)
/// NetworkHost extension | func sleep(for duration: Duration) async throws
/// Swift.Optional | extension Optional: Shrinkable where Wrapped : Shrinkable
/// ```
///
/// The name before the bar is the type that a declaration belongs to. For a function outside of
/// types it is the module. A type of another module has the name of that module, too. The word
/// `extension` tells a member that an extension of a protocol declares from a requirement.
///
/// A declaration has its attributes, default arguments and effects, and a type its conformances.
/// Symbol graphs do not report whether a type is copyable, and neither does the listing.
extension SymbolGraph {
  /// The lines: type by type, each type before its members, and members by their declarations.
  var listing: [String] {
    let all = parts.flatMap(\.symbols)
    let names = Dictionary(all.map { ($0.identifier.precise, $0.pathComponents) }) { $1 }
    let types = Dictionary(grouping: all.filter(\.isType), by: \.pathComponents)
    let kinds: Set = ["conformsTo", "inheritsFrom"]
    let relationships = parts.flatMap(\.relationships).filter { kinds.contains($0.kind) }
    let supertypes = Dictionary(grouping: relationships, by: \.source).mapValues {
      $0.compactMap { $0.supertype(from: names) }
    }
    var lines: Set<Line> = []
    for part in parts {
      for symbol in part.symbols {
        let module = [part.extendedModule].compactMap(\.self)
        if symbol.isType {
          let owner = (module + symbol.pathComponents).joined(separator: ".")
          lines.formUnion(
            symbol.lines(of: owner, with: supertypes[symbol.identifier.precise] ?? []))
        } else {
          let type = Array(symbol.pathComponents.dropLast())
          let owner = (module + (type.isEmpty ? [self.module] : type)).joined(separator: ".")
          let clause = symbol.extensionClause(of: types[type]?.first)
          lines.insert(Line(owner + clause, .member, symbol.attributedDeclaration))
        }
      }
    }
    return lines.sorted().map(\.text)
  }

  /// Protocols that a listing leaves out, since types conform to them implicitly.
  fileprivate static let implicit: Set = ["Copyable", "Escapable", "SendableMetatype"]

  /// The name of a type that another one inherits from or conforms to, and on which conditions.
  fileprivate typealias Supertype = (name: String, constraints: [Constraint])

  fileprivate struct Line: Hashable, Comparable {
    enum Kind: Comparable { case type, conformance, member }
    let owner: String
    let kind: Kind
    let text: String

    init(_ owner: String, _ kind: Kind, _ declaration: String) {
      (self.owner, self.kind, text) = (owner, kind, "\(owner) | \(declaration)")
    }

    static func < (left: Line, right: Line) -> Bool {
      (left.owner, left.kind, left.text) < (right.owner, right.kind, right.text)
    }
  }
}

extension SymbolGraph.Symbol {
  fileprivate var isExtension: Bool { kind.identifier == "swift.extension" }

  fileprivate var isType: Bool {
    let kinds: Set = ["swift.class", "swift.struct", "swift.enum", "swift.protocol"]
    return isExtension || kinds.contains(kind.identifier)
  }

  /// The declaration, with what its fragments leave out.
  fileprivate var attributedDeclaration: String {
    let attributes = (availability ?? []).map(\.attribute) + (accessLevel == "open" ? ["open"] : [])
    return (attributes + [declaration]).joined(separator: " ")
  }

  /// The line of a type with its supertypes, and one for each set of conditions of further ones.
  fileprivate func lines(
    of owner: String, with supertypes: [SymbolGraph.Supertype]
  ) -> [SymbolGraph.Line] {
    // The declaration of an extension has its conditions, and that of a protocol its supertypes.
    var groups = Dictionary(grouping: supertypes) { isExtension ? [] : $0.constraints }
    let unconditional = groups.removeValue(forKey: []) ?? []
    let isProtocol = kind.identifier == "swift.protocol"
    let declaration = attributedDeclaration.adding(isProtocol ? [] : unconditional)
    var lines: [SymbolGraph.Line] = []
    if !isExtension {
      lines.append(SymbolGraph.Line(owner, .type, declaration))
    } else if !unconditional.isEmpty {
      lines.append(SymbolGraph.Line(owner, .conformance, declaration))
    }
    return lines
      + groups.map { constraints, supertypes in
        let text = "extension \(name)".adding(supertypes) + constraints.clause
        return SymbolGraph.Line(owner, .conformance, text)
      }
  }

  /// The kind of extension that declares a member, where that matters to callers.
  fileprivate func extensionClause(of type: Self?) -> String {
    guard let swiftExtension else { return "" }
    let word = swiftExtension.typeKind == "swift.protocol" ? " extension" : ""
    let usual = type?.swiftGenerics?.constraints ?? []
    return word + (swiftExtension.constraints ?? []).filter { !usual.contains($0) }.clause
  }
}

extension SymbolGraph.Symbol.Availability {
  fileprivate var attribute: String {
    var words = [domain ?? "*"]
    if isUnconditionallyDeprecated == true { words.append("deprecated") }
    if isUnconditionallyUnavailable == true { words.append("unavailable") }
    let versions = [
      ("introduced", introduced), ("deprecated", deprecated), ("obsoleted", obsoleted),
    ]
    for case (let name, let version?) in versions {
      let numbers = [version.major, version.minor, version.patch].compactMap(\.self)
      words.append("\(name): \(numbers.map(String.init).joined(separator: "."))")
    }
    for case (let name, let text?) in [("renamed", renamed), ("message", message)] {
      words.append("\(name): \"\(text)\"")
    }
    return "@available(\(words.joined(separator: ", ")))"
  }
}

extension SymbolGraph.Relationship {
  /// The target, unless a listing leaves it out.
  fileprivate func supertype(from names: [String: [String]]) -> SymbolGraph.Supertype? {
    let fallback = targetFallback?.split(separator: ".").dropFirst().map(String.init)
    let name = (names[target] ?? fallback ?? [target]).joined(separator: ".")
    return SymbolGraph.implicit.contains(name) ? nil : (name, swiftConstraints ?? [])
  }
}

extension [SymbolGraph.Constraint] {
  /// ` where …`, or nothing without constraints.
  fileprivate var clause: String {
    let texts = filter { !SymbolGraph.implicit.contains($0.rhs) }.map {
      "\($0.lhs) \($0.kind == "sameType" ? "==" : ":") \($0.rhs)"
    }
    return texts.isEmpty ? "" : " where " + texts.joined(separator: ", ")
  }
}

extension String {
  /// A declaration of a type or an extension, with the names of supertypes.
  fileprivate func adding(_ supertypes: [SymbolGraph.Supertype]) -> String {
    guard !supertypes.isEmpty else { return self }
    let parts = split(separator: " where ", maxSplits: 1)
    let names = Set(supertypes.map(\.name)).sorted()
    let head = "\(parts[0]): \(names.joined(separator: ", "))"
    return ([head] + parts.dropFirst().map(String.init)).joined(separator: " where ")
  }
}
