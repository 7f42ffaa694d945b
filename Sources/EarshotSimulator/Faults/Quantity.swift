package import EarshotCore

/// Numbers with units, from and to text.
package enum Quantity {
  private static let times: [(unit: String, nanoseconds: Int64)] = [
    ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000),
    ("m", 60_000_000_000), ("h", 3_600_000_000_000),
  ]
  private static let sizes: [(unit: String, bytes: Int64)] = [
    ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
  ]
  private static let rates: [(unit: String, bits: Int64)] = [
    ("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000),
  ]

  /// `250ms`, `1.5s`, `2m`: exact to the nanosecond, or `nil`.
  package static func duration(of text: String) -> Duration? {
    scaled(text, by: times.map { ($0.unit, $0.nanoseconds) }).map { .nanoseconds($0) }
  }

  /// `20%`, `0.5%`.
  package static func ratio(of text: String) -> Ratio? {
    guard let billionths = scaled(text, by: [("%", 10_000_000)]) else { return nil }
    return Ratio(Double(billionths) / 1e9)
  }

  /// `64KiB`.
  package static func bytes(of text: String) -> Int? {
    scaled(text, by: sizes.map { ($0.unit, $0.bytes) }).map { Int($0) }
  }

  /// `10Mbit/s`.
  package static func bitsPerSecond(of text: String) -> Int? {
    scaled(text, by: rates.map { ($0.unit, $0.bits) }).map { Int($0) }
  }

  /// The shortest exact text with one unit: `1.5s`, `250ms`.
  package static func time(_ duration: Duration) -> String {
    let nanoseconds = duration.nanoseconds
    let unit =
      [times[6], times[5]].first { nanoseconds > 0 && nanoseconds % $0.nanoseconds == 0 }
      ?? [times[4], times[3], times[2]].first { nanoseconds.magnitude >= $0.nanoseconds }
      ?? (nanoseconds == 0 ? times[4] : times[0])
    return decimal(nanoseconds, in: unit.nanoseconds) + (unit.unit == "µs" ? "us" : unit.unit)
  }

  /// The time to the microsecond in seconds, for people: `0.25s`, `90s`.
  ///
  /// One unit for all times of a sentence, and the one of the timeline, so that they can be compared at a
  /// glance.
  package static func moment(_ time: Duration) -> String {
    decimal(time.nanoseconds / 1_000 * 1_000, in: 1_000_000_000) + "s"
  }

  /// The largest unit that divides the size: `64KiB`.
  package static func size(_ bytes: Int) -> String {
    let unit = sizes.last { bytes > 0 && Int64(bytes) % $0.bytes == 0 } ?? sizes[0]
    return "\(Int64(bytes) / unit.bytes)\(unit.unit)"
  }

  /// The largest unit that divides the rate: `10Mbit/s`.
  package static func rate(_ bits: Int) -> String {
    let unit = rates.last { bits > 0 && Int64(bits) % $0.bits == 0 } ?? rates[0]
    return "\(Int64(bits) / unit.bits)\(unit.unit)"
  }

  private static func scaled(_ text: String, by units: [(String, Int64)]) -> Int64? {
    let digits = text.prefix { $0 == "." || ("0"..."9") ~= $0 }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard let scale = units.first(where: { $0.0 == unit })?.1 else { return nil }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = Int64(parts[0]) else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: scale)
    guard !overflow else { return nil }
    guard parts.count == 2 else { return product }
    guard let part = fraction(parts[1], of: scale) else { return nil }
    let (sum, carried) = product.addingReportingOverflow(part)
    return carried ? nil : sum
  }

  private static func fraction(_ digits: Substring, of scale: Int64) -> Int64? {
    guard (1...9).contains(digits.count), let value = Int64(digits) else { return nil }
    let power = (0..<digits.count).reduce(Int64(1)) { power, _ in power * 10 }
    let (high, low) = value.multipliedFullWidth(by: scale)
    let (quotient, remainder) = power.dividingFullWidth((high, low))
    return remainder == 0 ? quotient : nil
  }

  private static func decimal(_ value: Int64, in unit: Int64) -> String {
    let fraction = String(value.magnitude % unit.magnitude + unit.magnitude).dropFirst()
    let whole = "\(value < 0 ? "-" : "")\(value.magnitude / unit.magnitude)"
    guard value.magnitude % unit.magnitude != 0 else { return whole }
    return "\(whole).\(fraction.reversed().drop { $0 == "0" }.reversed().map(String.init).joined())"
  }
}
