/// One decoder, or one machine behind decoders, and the laws that any input leaves whole.
///
/// libFuzzer looks for inputs that break one (`.ci/fuzz`); the tests run the inputs that are kept in `Corpora`, and mutants
/// of them, in every build.
package struct FuzzTarget: Sendable {
  /// A law that an input has broken.
  package struct BrokenLaw: Error, CustomStringConvertible {
    /// The law, and what was seen instead.
    package let description: String
  }

  /// The name on command lines, and of the file with its inputs.
  package let name: String
  /// The longest input that is worth a try, in bytes.
  package let bytesMax: Int
  /// What the inputs that are kept reach between them: laws about what never comes to pass are no laws.
  package let goals: Set<String>
  private let body: @Sendable ([UInt8]) throws -> Set<String>

  init(_ name: String, bytesMax: Int = 4_096, _ run: @escaping @Sendable ([UInt8]) throws -> Void) {
    (self.name, self.bytesMax, goals) = (name, bytesMax, [])
    body = { bytes in
      try run(bytes)
      return []
    }
  }

  /// A target that has goals; what is done with an input says which of them it has reached.
  init(
    _ name: String, bytesMax: Int, reaching goals: Set<String>,
    _ run: @escaping @Sendable ([UInt8]) throws -> Set<String>
  ) {
    (self.name, self.bytesMax, self.goals, body) = (name, bytesMax, goals, run)
  }

  /// Does with an input what is to be done; a trap is a finding, too.
  ///
  /// - Returns: Which of the goals it has reached.
  /// - Throws: ``BrokenLaw``, or what a decoder throws that should not have.
  @discardableResult
  package func run(_ input: [UInt8]) throws -> Set<String> { try body(input) }

  /// All there are: packets and streams first, then texts, then what lives.
  package static let all: [FuzzTarget] =
    [dns, text, browser, advertiser, frames, messages] + bodies
    + [preamble, tls, handshake, datagram, fragments, assembly, resources, identity]
    + [ticket, address, scenario, trust, session, inviting]

  /// The one of a name.
  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Says that a law is broken, unless it holds.
func law(_ holds: Bool, _ words: @autoclosure () -> String) throws(FuzzTarget.BrokenLaw) {
  guard holds else { throw FuzzTarget.BrokenLaw(description: words()) }
}

/// Numbers drawn from an input, 0 when it has no more.
struct InputReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// A number below a bound of at most 256.
  mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

  /// The next bytes, so many if there are.
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
