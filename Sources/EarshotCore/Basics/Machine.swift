/// What decides: takes events in, one at a time, and answers with what must be done.
package protocol Machine {
  /// What happened.
  associatedtype Event
  /// What must be done.
  associatedtype Action

  /// Takes one event in; appends what must now be done, in order, to `out`.
  mutating func handle(_ event: Event, at now: Instant, into out: inout [Action])
}
