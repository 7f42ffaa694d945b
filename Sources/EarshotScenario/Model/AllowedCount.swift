import EarshotSimulator

/// How many of something are right: a number, or all numbers from one to another.
package struct AllowedCount: Hashable, Sendable {
  /// The smallest number that is right.
  package var atLeast: Int
  /// The largest one; `nil` for no bound.
  package var atMost: Int?

  /// The numbers from one to another.
  package init(atLeast: Int, atMost: Int? = nil) { (self.atLeast, self.atMost) = (atLeast, atMost) }

  /// One number alone.
  package static func exactly(_ count: Int) -> AllowedCount {
    AllowedCount(atLeast: count, atMost: count)
  }

  /// Whether a number is right.
  package func allows(_ count: Int) -> Bool {
    count >= atLeast && atMost.map { count <= $0 } ?? true
  }
}

extension AllowedCount {
  /// How often something has to happen: `once`, `2 to 5 times`, `never`.
  package var frequency: String {
    switch (atLeast, atMost) {
    case (0, 0?): "never"
    case (0, 1?): "at most once"
    case (1, nil): "at least once"
    case (1, 1?): "once"
    default: "\(amount) times"
    }
  }

  /// The numbers alone: `3`, `at least 2`, `at most 5`, `2 to 5`.
  package var amount: String {
    switch (atLeast, atMost) {
    case (let low, nil): "at least \(low)"
    case (let low, let high?) where low == high: "\(low)"
    case (0, let high?): "at most \(high)"
    case (let low, let high?): "\(low) to \(high)"
    }
  }

  /// The numbers as sizes in bytes: `64KiB`, `at least 1MiB`.
  package var size: String {
    switch (atLeast, atMost.map(Quantity.size)) {
    case (let low, nil): "at least \(Quantity.size(low))"
    case (let low, let high?) where Quantity.size(low) == high: high
    case (0, let high?): "at most \(high)"
    case (let low, let high?): "\(Quantity.size(low)) to \(high)"
    }
  }

  /// The largest number that is spoken of, which decides between one and many.
  package var largest: Int { atMost ?? atLeast }
}
