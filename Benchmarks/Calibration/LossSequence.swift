/// Which packets chance takes: a function of the seed, the direction and the number of the packet.
///
/// `is_lost` in `Benchmarks/Baselines/link.h` decides the same.
struct LossSequence {
  private let seed: UInt64
  private let threshold: UInt64
  private var number: UInt64 = 0

  /// The packets of one direction.
  ///
  /// - Parameters:
  ///   - percent: How many are taken.
  ///   - seed: The seed of the transfer.
  ///   - direction: 0 to the server, 1 from it.
  init(percent: Int, seed: UInt64, direction: UInt64) {
    self.seed = (seed * 2 + direction) << 32
    threshold = Self.threshold(percent: percent)
  }

  /// A share of 2^20.
  static func threshold(percent: Int) -> UInt64 { UInt64(percent) << 20 / 100 }

  /// Whether the next packet is taken (SplitMix64).
  mutating func losesNext() -> Bool {
    number += 1
    var word = (seed + number) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return (word ^ (word >> 31)) >> 44 < threshold
  }
}
