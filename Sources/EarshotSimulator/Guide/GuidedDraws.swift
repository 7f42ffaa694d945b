import EarshotCore

/// Draws that bytes decide, and a stream of random numbers once they are used up.
///
/// Small numbers take a byte and large ones four, so that a fuzzer that changes a byte changes one decision. The byte 0
/// is the first of what there is.
struct GuidedDraws {
  private var bytes: ArraySlice<UInt8>
  /// What decides when no byte is left.
  private(set) var random: RandomStream

  /// Draws from bytes, the first one first, and then from a stream.
  init(_ bytes: [UInt8] = [], then random: RandomStream) {
    (self.bytes, self.random) = (bytes[...], random)
  }

  /// A number in `0..<bound`.
  mutating func below(_ bound: UInt64) -> UInt64 {
    guard !bytes.isEmpty else { return random.below(bound) }
    switch bound {
    case ...0x100: return word(1) % bound
    case ...0x1_0000: return word(2) % bound
    // Large ones are mostly times, of which the first byte is to be the coarse one.
    default: return (word(4) << 32).multipliedFullWidth(by: bound).high
    }
  }

  /// True with the given chance.
  mutating func chance(_ ratio: Ratio) -> Bool {
    guard !bytes.isEmpty else { return random.chance(ratio) }
    return word(1) * 1_000_000_000 / 0x100 < UInt64(ratio.billionths)
  }

  /// A duration in `0..<bound`; zero when the bound is not positive.
  mutating func duration(below bound: Duration) -> Duration {
    guard !bytes.isEmpty else { return random.duration(below: bound) }
    let nanoseconds = bound.nanoseconds
    return nanoseconds > 0 ? .nanoseconds(Int64(below(UInt64(nanoseconds)))) : .zero
  }

  /// A duration of a closed range.
  mutating func duration(in range: ClosedRange<Duration>) -> Duration {
    range.lowerBound + duration(below: range.upperBound - range.lowerBound + .nanoseconds(1))
  }

  /// The number of so many bytes, the first one the highest; those that are missing are 0.
  private mutating func word(_ count: Int) -> UInt64 {
    (0..<count).reduce(0) { word, _ in word << 8 | UInt64(bytes.popFirst() ?? 0) }
  }
}

extension FaultPlan {
  /// Draws a plan as bytes decide.
  ///
  /// - Parameters:
  ///   - wish: What is drawn from.
  ///   - hosts: The names of the hosts.
  ///   - guide: The bytes; they are used from the last one on, so that a schedule that uses them from the first one on
  ///     depends on others as long as there are enough.
  ///   - random: The numbers that decide when the bytes are used up.
  public init(
    drawing wish: RandomFaults, for hosts: [String], guidedBy guide: [UInt8],
    using random: inout RandomStream
  ) {
    var draw = FaultDraw(
      names: hosts, random: GuidedDraws(guide.reversed(), then: random))
    self.init(draw.faults(wish.bounded))
    random = draw.random.random
  }
}
