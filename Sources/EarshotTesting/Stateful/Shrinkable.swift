import EarshotSimulator

/// A value of which there are simpler ones.
///
/// Arguments of a ``StatefulRule`` that conform are made smaller unless the rule says otherwise.
public protocol Shrinkable {
  /// Values to try in place of this one, the simplest first; none of them leads back to this one.
  var smaller: [Self] { get }
}

extension Int: Shrinkable {
  /// Zero, the positive number, and halves of the way from zero.
  public var smaller: [Int] {
    guard self != 0 else { return [] }
    var numbers = [0]
    if self < 0, self != .min { numbers.append(-self) }
    var step = self / 2
    while step != 0 {
      numbers.append(self - step)
      step /= 2
    }
    return numbers
  }
}

extension Bool: Shrinkable {
  /// `false` in place of `true`.
  public var smaller: [Bool] { self ? [false] : [] }
}

extension Duration: Shrinkable {
  /// No time, and halves of the way from there, in whole nanoseconds.
  public var smaller: [Duration] { Int(nanoseconds).smaller.map { .nanoseconds($0) } }
}

extension String: Shrinkable {
  /// The empty string, the halves, and the string without each of its characters.
  public var smaller: [String] { Array(self).smallerLists.map { String($0) } }
}

extension Array: Shrinkable {
  /// No elements, the halves, and the array without each of its elements.
  public var smaller: [[Element]] { smallerLists }
}

extension Optional: Shrinkable where Wrapped: Shrinkable {
  /// `nil`, and smaller values.
  public var smaller: [Wrapped?] { map { [nil] + $0.smaller.map(Optional.some) } ?? [] }
}

extension Array {
  fileprivate var smallerLists: [[Element]] {
    guard !isEmpty else { return [] }
    guard count > 1 else { return [[]] }
    let halves = [Array(prefix(count / 2)), Array(suffix(count - count / 2))]
    let shorter = indices.map { index in Array(self[..<index] + self[(index + 1)...]) }
    return [[]] + halves + (count > 2 ? shorter : [])
  }
}
