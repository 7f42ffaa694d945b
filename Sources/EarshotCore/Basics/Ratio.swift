/// A chance or a share, from 0 to 1.
///
/// Kept as parts per billion, so that equal ratios are equal, and so that the same scenario draws the
/// same numbers on every machine: no floating-point arithmetic decides anything.
public struct Ratio: Hashable, Comparable, Sendable {
  /// Parts per billion, 0 through 1,000,000,000.
  public let billionths: Int64

  /// Never; nothing.
  public static var zero: Ratio { Ratio(clampedBillionths: 0) }

  /// Always; all.
  public static var one: Ratio { Ratio(clampedBillionths: 1_000_000_000) }

  /// A ratio from a number between 0 and 1, or `nil` outside of that (and for not-a-number).
  public init?(_ value: Double) {
    guard value >= 0, value <= 1 else { return nil }
    billionths = Int64(value * 1e9 + 0.5)
  }

  /// So many percent, clamped to 0 through 100.
  public static func percent(_ value: Int) -> Ratio {
    Ratio(clampedBillionths: Int64(min(max(value, 0), 100)) * 10_000_000)
  }

  /// So many parts per billion, clamped to 0 through 1,000,000,000.
  package init(billionths: Int64) {
    self.init(clampedBillionths: min(max(billionths, 0), 1_000_000_000))
  }

  private init(clampedBillionths: Int64) { billionths = clampedBillionths }

  /// Whether the left ratio is smaller.
  public static func < (left: Ratio, right: Ratio) -> Bool { left.billionths < right.billionths }

  /// This share of an amount, rounded towards zero.
  package func of(_ amount: Int64) -> Int64 {
    let (high, low) = amount.multipliedFullWidth(by: billionths)
    return Int64(1_000_000_000).dividingFullWidth((high, low)).quotient
  }
}

extension Ratio: CustomStringConvertible {
  /// The ratio as a decimal number: `0.2`.
  public var description: String { String(Double(billionths) / 1e9) }
}
