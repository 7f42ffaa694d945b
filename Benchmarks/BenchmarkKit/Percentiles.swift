/// Values by how many of them are smaller.
public struct Percentiles {
  private let values: [Double]

  /// The percentiles of some values, in any order.
  public init(_ values: some Collection<Double>) {
    precondition(!values.isEmpty, "no values have no percentiles")
    self.values = values.sorted()
  }

  /// The value that so many per cent of all do not exceed.
  public subscript(percent: Int) -> Double {
    values[min(values.count - 1, values.count * percent / 100)]
  }
}
