/// The events of a history in their order, from which those of an operation can be lifted, and put back.
///
/// Events are put back in the reverse order of their lifting (Knuth's dancing links).
struct EventList {
  enum Event {
    case invocation(Int)
    case end(Int)
  }
  private var events: [Event?] = [nil]
  private var next: [Int] = [0]
  private var previous: [Int] = [0]

  /// The place before the first event.
  static var start: Int { 0 }

  mutating func append(_ event: Event) -> Int {
    let (place, last) = (events.count, previous[0])
    events.append(event)
    (next[last], previous[0]) = (place, place)
    next.append(0)
    previous.append(last)
    return place
  }

  /// The place after another one; the start behind the last one.
  func place(after place: Int) -> Int { next[place] }

  /// The event at a place; `nil` at the start.
  subscript(place: Int) -> Event? { events[place] }

  mutating func lift(_ place: Int) {
    next[previous[place]] = next[place]
    previous[next[place]] = previous[place]
  }

  mutating func putBack(_ place: Int) {
    next[previous[place]] = place
    previous[next[place]] = place
  }
}
