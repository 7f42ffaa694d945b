/// What several rounds of one measurement showed.
public struct Sample: Codable, Sendable {
  /// What was measured.
  public let name: String
  /// What the values count, such as `frames/s`.
  public let unit: String
  /// One value a round, in ascending order.
  public let values: [Double]
  /// The median divided by that of the baseline in the same run, where there is a baseline.
  public var ratio: Double?

  /// The values of some rounds, in any order.
  public init(_ name: String, unit: String, values: [Double], ratio: Double? = nil) {
    precondition(!values.isEmpty, "a sample has at least one value")
    (self.name, self.unit, self.values, self.ratio) = (name, unit, values.sorted(), ratio)
  }

  /// The value in the middle.
  public var median: Double { values[values.count / 2] }

  /// The distance from the smallest to the largest value, as a share of the median.
  public var spread: Double {
    median == 0 ? 0 : (values[values.count - 1] - values[0]) / median
  }
}

extension Sample {
  private enum CodingKeys: String, CodingKey { case name, unit, median, spread, ratio, values }

  /// Reads what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(String.self, forKey: .name),
      unit: try container.decode(String.self, forKey: .unit),
      values: try container.decode([Double].self, forKey: .values),
      ratio: try container.decodeIfPresent(Double.self, forKey: .ratio))
  }

  /// Writes the values together with what follows from them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(unit, forKey: .unit)
    try container.encode(median, forKey: .median)
    try container.encode(spread, forKey: .spread)
    try container.encodeIfPresent(ratio, forKey: .ratio)
    try container.encode(values, forKey: .values)
  }
}
