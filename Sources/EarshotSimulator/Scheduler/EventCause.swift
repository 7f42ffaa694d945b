/// What the events of a trace follow from: the numbers of the events that are being handled.
///
/// An event that is not in the trace, such as the timer of a kernel, stands for what it follows from itself.
struct EventCause {
  /// The event that code handles at the moment; ``none`` outside of all events.
  private(set) var handled = Self.none
  /// The same, but for what the world has done to its hosts since the event began.
  private(set) var origin = Self.none

  /// A new event begins, which follows from an earlier one.
  mutating func begin(after cause: Int) { (handled, origin) = (cause, cause) }

  /// An event that code handles from now on has got its number.
  mutating func handle(_ number: Int) { (handled, origin) = (number, number) }

  /// The world has done something to its hosts.
  mutating func disturb(_ number: Int) { handled = number }

  /// No event.
  static let none = -1
}
