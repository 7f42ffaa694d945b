/// One named stream of seeded random numbers (SplitMix64).
///
/// Every concern draws from a stream of its own (a link's direction, a host, the fault plan), so that one
/// more draw in one place moves nothing elsewhere. Not for keys: it is predictable by design.
///
/// - SeeAlso: Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (OOPSLA 2014).
public struct RandomStream: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// A stream that is a function of its seed alone.
  public init(seed: UInt64) { state = seed }

  /// The stream of one concern under a seed; streams of different names are independent.
  ///
  /// - Parameters:
  ///   - seed: The seed of the whole run.
  ///   - name: The concern, such as `link ann→bob`. Equal names give equal streams.
  public init(seed: UInt64, name: String) {
    var hash = RollingHash()
    hash.combine(seed)
    hash.combine(text: name)
    state = hash.value
  }

  /// The next 64 uniform bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return RollingHash.mix(state)
  }

  /// A uniform number in `0..<bound` (Lemire's multiply-shift; the bias is below 2⁻³² for the bounds used).
  ///
  /// - Precondition: `bound > 0`.
  package mutating func below(_ bound: UInt64) -> UInt64 {
    precondition(bound > 0, "an empty range has no member to draw")
    return next().multipliedFullWidth(by: bound).high
  }

  /// True with the given chance.
  ///
  /// Draws one number, also when the outcome is certain, so that changing a chance moves no other draw
  /// of the stream.
  package mutating func chance(_ ratio: Ratio) -> Bool {
    below(1_000_000_000) < UInt64(ratio.billionths)
  }

  /// A uniform duration in `0..<bound`, in whole nanoseconds; zero when the bound is not positive.
  package mutating func duration(below bound: Duration) -> Duration {
    let nanoseconds = bound.nanoseconds
    return nanoseconds > 0 ? .nanoseconds(Int64(below(UInt64(nanoseconds)))) : .zero
  }

  /// A uniform duration of a closed range, in whole nanoseconds.
  package mutating func duration(in range: ClosedRange<Duration>) -> Duration {
    range.lowerBound + duration(below: range.upperBound - range.lowerBound + .nanoseconds(1))
  }
}

extension RandomNumberGenerator {
  /// Fills memory with random bytes: eight of each number, the lowest first.
  package mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
    var word: UInt64 = 0
    for index in bytes.indices {
      if index % 8 == 0 { word = next() }
      bytes[index] = UInt8(truncatingIfNeeded: word)
      word >>= 8
    }
  }

  /// So many random bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    fill(&span)
    return bytes
  }
}
