/// The search for one peer: its addresses are tried one after the other, a little apart, until one answers.
///
/// The first address is tried at once, the next when it has failed or a quarter of a second has
/// passed, and so on; what was begun before goes on beside it. The first attempt over which the peer itself
/// answers wins, and the others are abandoned. An address where another peer answers is one that failed.
///
/// After RFC 8305 §5, without its sorting: the order of the addresses is given.
package struct DialMachine: Machine, Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case opened(Int)  // HELLO was exchanged with the peer.
    case failed(Int)
    case refused(Int, CloseCode)  // The peer sent CLOSE in place of HELLO.
    case deadlineReached
  }
  package enum Action: Hashable, Sendable {
    case attempt(Int)  // The address of that index.
    case abandon(Int)  // No event of that attempt may follow.
    case wake(at: Instant)  // Replaces any earlier wake.
    case reportOpened(Int)  // The last action, as are the next two.
    case reportFailed
    case reportRefused(CloseCode)
  }
  private enum State: Hashable {
    case trying([Int], next: Int, at: Instant)  // The attempts at hand, the oldest first.
    case ended
  }

  /// How long an attempt has for itself (RFC 8305 §8).
  package static let stagger = Duration.milliseconds(250)
  private var state: State
  private let count: Int

  /// Tries the first of some addresses.
  package init(addresses count: Int, at now: Instant, into out: inout [Action]) {
    (self.count, state) = (count, .ended)
    state = tryNext(beside: [], next: 0, at: now, into: &out)
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    state = next(after: event, at: now, into: &out)
  }

  private func next(after event: Event, at now: Instant, into out: inout [Action]) -> State {
    switch (state, event) {
    case (.trying(let open, _, _), .opened(let index)) where open.contains(index):
      return end(.reportOpened(index), abandoning: open.filter { $0 != index }, into: &out)
    case (.trying(let open, _, _), .refused(let index, let code)) where open.contains(index):
      return end(.reportRefused(code), abandoning: open.filter { $0 != index }, into: &out)
    case (.trying(let open, let next, _), .failed(let index)) where open.contains(index):
      return tryNext(beside: open.filter { $0 != index }, next: next, at: now, into: &out)
    case (.trying(let open, let next, let instant), .deadlineReached) where now >= instant:
      return tryNext(beside: open, next: next, at: now, into: &out)
    case (.trying(_, let next, let instant), .deadlineReached):
      if next < count { out.append(.wake(at: instant)) }
      return state
    // News of attempts that are over, a late timer.
    case (.trying, .opened), (.trying, .refused), (.trying, .failed), (.ended, _): return state
    }
  }

  private func tryNext(
    beside open: [Int], next: Int, at now: Instant, into out: inout [Action]
  ) -> State {
    guard next < count else {
      return open.isEmpty
        ? end(.reportFailed, abandoning: [], into: &out) : .trying(open, next: next, at: now)
    }
    out.append(.attempt(next))
    if next + 1 < count { out.append(.wake(at: now + Self.stagger)) }
    return .trying(open + [next], next: next + 1, at: now + Self.stagger)
  }

  private func end(
    _ report: Action, abandoning open: [Int], into out: inout [Action]
  ) -> State {
    for index in open { out.append(.abandon(index)) }
    out.append(report)
    return .ended
  }
}
