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
  /// What is done with an input; a trap is a finding, too.
  package let run: @Sendable ([UInt8]) throws -> Void

  init(_ name: String, bytesMax: Int = 4_096, _ run: @escaping @Sendable ([UInt8]) throws -> Void) {
    (self.name, self.bytesMax, self.run) = (name, bytesMax, run)
  }

  /// All there are: packets and streams first, then texts, then what lives.
  package static let all: [FuzzTarget] =
    [dns, text, discovery, frames, messages] + bodies
    + [preamble, tls, handshake, datagram, fragments, assembly, identity]
    + [ticket, address, scenario, session]

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
