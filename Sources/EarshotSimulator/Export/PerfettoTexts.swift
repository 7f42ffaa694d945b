/// Texts of a trace of Perfetto that are written once and are numbers from then on.
struct PerfettoTexts {
  private var numbers: [String: UInt64] = [:]
  /// The texts that were not written yet.
  private(set) var new: [(number: UInt64, text: String)] = []

  /// Texts of which some are known to be needed, with the numbers from 1 on.
  init(_ texts: [String] = []) { for text in texts { _ = number(of: text) } }

  /// The number of a text.
  mutating func number(of text: String) -> UInt64 {
    if let number = numbers[text] { return number }
    let number = UInt64(numbers.count + 1)
    numbers[text] = number
    new.append((number, text))
    return number
  }

  mutating func forgetNew() { new.removeAll(keepingCapacity: true) }
}
