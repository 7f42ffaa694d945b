import EarshotCore
import Testing

@Suite("Instants")
struct InstantTests {
  private static let first = Instant(nanoseconds: .min)
  private static let durations: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.min), .seconds(1), .seconds(-1), .zero,
  ]

  @Test(
    "What lies beyond the ends of the range is the end of it, by whatever duration",
    arguments: durations)
  func saturation(duration: Duration) {
    for instant in [Self.first, .zero, .distantFuture] {
      let isLater = duration > .zero
      let (sum, difference) = (instant + duration, instant - duration)
      #expect(isLater ? sum >= instant : sum <= instant)
      #expect(isLater ? difference <= instant : difference >= instant)
      #expect(instant.advanced(by: duration) == sum)
    }
  }

  @Test("Endless times lead to the ends of the range")
  func ends() {
    #expect(Instant.zero + .seconds(Int64.max) == .distantFuture)
    #expect(Instant.zero - .seconds(Int64.min) == .distantFuture)
    #expect(Self.first - .seconds(Int64.max) == Self.first)
    #expect(Self.first + .seconds(Int64.min) == Self.first)
  }

  @Test("Between two instants is their difference, at most 292 years")
  func difference() {
    #expect(Instant.distantFuture - Self.first == .nanoseconds(Int64.max))
    #expect(Self.first - Instant.distantFuture == .nanoseconds(Int64.min))
    #expect(Instant(nanoseconds: 7) - Instant(nanoseconds: 3) == .nanoseconds(4))
  }
}
