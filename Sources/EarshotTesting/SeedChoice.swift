import Foundation

/// The seeds of a test: those of its trait, or the one that the environment asks for.
package struct SeedChoice: Sendable {
  private let all: [UInt64]
  /// The variables of the environment.
  let environment: [String: String]

  package static let variable = "EARSHOT_SEED"

  package init(
    _ seeds: [UInt64], environment: [String: String] = ProcessInfo.processInfo.environment
  ) { (all, self.environment) = (seeds, environment) }

  /// The seeds, in order.
  package var seeds: [UInt64] {
    get throws {
      guard let text = environment[Self.variable], !text.isEmpty else { return all }
      guard let seed = UInt64(text) else { throw SeedError(text: text) }
      return [seed]
    }
  }
}

/// The environment asks for a seed that is none.
struct SeedError: Error, CustomStringConvertible {
  let text: String

  var description: String {
    "\(SeedChoice.variable) is \"\(text)\", which is no seed: a whole number from 0 to \(UInt64.max)"
  }
}
