import Earshot
import Testing

/// What a program that imports nothing but Earshot does with instants.
///
/// The operators of another module are not in sight here.
@Suite("Instants without another import")
struct InstantOperatorTests {
  private struct Row: Sendable {
    var instant: Int64 = 0
    let duration: Duration
    let later: Int64
    let earlier: Int64
  }
  private static let second: Int64 = 1_000_000_000
  private static let rows = [
    Row(duration: .zero, later: 0, earlier: 0),
    Row(duration: .seconds(3), later: 3 * second, earlier: -3 * second),
    Row(instant: second, duration: .seconds(-3), later: -2 * second, earlier: 4 * second),
    Row(duration: Duration(attoseconds: .max), later: .max, earlier: -.max),
    Row(duration: Duration(attoseconds: .min), later: .min, earlier: .max),
    Row(instant: .max, duration: .seconds(1), later: .max, earlier: .max - second),
    Row(instant: .min, duration: .seconds(1), later: .min + second, earlier: .min),
    Row(instant: .max, duration: .seconds(Int64.min), later: -1, earlier: .max),
  ]

  @Test("Durations are added and subtracted, and saturate", arguments: rows)
  private func sums(row: Row) {
    let instant = Instant(nanoseconds: row.instant)
    #expect(instant + row.duration == Instant(nanoseconds: row.later))
    #expect(instant - row.duration == Instant(nanoseconds: row.earlier))
  }

  @Test("The time between two instants is their difference, and saturates")
  func difference() {
    let start = Instant.zero + .seconds(3)
    #expect(start + .seconds(2) - start == .seconds(2))
    let (first, last) = (Instant(nanoseconds: .min), Instant.distantFuture)
    #expect(last - first == .nanoseconds(Int64.max) && first - last == .nanoseconds(Int64.min))
  }
}
