import EarshotCore
import TestKit
import Testing

/// The arithmetic of times, shares and ranges, at the ends of what they hold.
@Suite("Numbers in basic values")
struct NumberTests {
  @Test(
    "Sums and differences of instants and durations stay in range",
    arguments: Extremes.instants)
  func instants(instant: Instant) {
    for duration in Extremes.durations {
      #expect(duration >= .zero ? instant + duration >= instant : instant + duration <= instant)
      #expect(duration >= .zero ? instant - duration <= instant : instant - duration >= instant)
      #expect(instant.advanced(by: duration) == instant + duration)
      #expect(!"\(instant + duration)".isEmpty)
    }
    for other in Extremes.instants {
      #expect((instant - other >= .zero) == (instant >= other))
      #expect(instant.duration(to: other) == other - instant)
      #expect(
        instant.advanced(nanoseconds: other.nanoseconds) >= instant || other.nanoseconds < 0)
    }
  }

  @Test("A duration of any length has nanoseconds, the nearest that there are")
  func durations() {
    #expect(
      Extremes.durations.map(\.nanoseconds)
        == [.min, .min, -1, 0, 1, .max, .max])
  }

  @Test("A ratio is refused outside of its range, and percentages count as the nearest")
  func ratios() {
    let numbers = [
      -Double.infinity, -.greatestFiniteMagnitude, -.leastNonzeroMagnitude, 1.000_000_001,
      .greatestFiniteMagnitude, .infinity, .nan, .signalingNaN,
    ]
    for number in numbers { #expect(Ratio(number) == nil, "\(number)") }
    #expect([-0.0, 0, .leastNonzeroMagnitude].map { Ratio($0) } == [.zero, .zero, .zero])
    #expect(Ratio(1) == .one)
    #expect(
      Extremes.integers().map(Ratio.percent)
        == [.zero, .zero, .zero, .percent(1), .one])
  }

  @Test(
    "A range of addresses of any number of bits has all addresses, some, or none",
    arguments: Extremes.integers())
  func bits(bits: Int) {
    let (v4, v6) = (IPAddress.v4(0x0A00_0001), IPAddress.v6(1, 2, scope: 0))
    for (address, most) in [(v4, 32), (v6, 128)] {
      let range = AddressRange(address, bits: bits)
      #expect(range.contains(address) == (bits <= most))
      let interface = NetworkInterface(
        index: .max, name: "en0", addresses: [address], networks: [range],
        maximumTransmissionUnit: bits)
      #expect(interface.has(address.family))
    }
    #expect(AddressRange(v4, bits: bits).contains(.v4(0x8000_0000)) == (bits < 1))
    #expect(AddressRange(v6, bits: bits).contains(.v6(1 << 63, 2, scope: 0)) == (bits < 1))
  }
}
