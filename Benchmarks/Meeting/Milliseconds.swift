import BenchmarkKit

extension Benchmark {
  /// Adds the median and the 99th percentile of many tries.
  mutating func add(milliseconds times: [Double], _ name: String) {
    add(Sample("\(name), median", unit: "ms", values: [Percentiles(times)[50]]))
    add(Sample("\(name), p99", unit: "ms", values: [Percentiles(times)[99]]))
  }
}

/// The time between two instants of the shared clock, as processes say them.
func milliseconds(from start: String, to end: String) -> Double {
  guard let start = Int64(start), let end = Int64(end) else {
    fail("\(start) and \(end) are no times")
  }
  return Double(end - start) / 1e6
}
