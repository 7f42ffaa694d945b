public import EarshotCore

/// The seed of one case of a property; a failing case prints it.
public struct Seed: Hashable, Sendable, CustomStringConvertible {
  /// The number itself.
  public let value: UInt64

  /// A seed to look at again.
  public init(_ value: UInt64) { self.value = value }

  /// The first seeds, always the same.
  public static func some(_ count: Int) -> [Seed] { (0..<UInt64(count)).map { Seed($0) } }

  /// The stream of random numbers that begins with this seed.
  public var generator: RandomStream { RandomStream(seed: value) }

  /// The number, as it goes into a regression.
  public var description: String { "seed \(value)" }
}
