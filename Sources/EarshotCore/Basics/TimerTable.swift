/// Deadlines by key, of which a shell needs to know only the next one.
///
/// Deadlines of the same instant come due in the order in which they were set. For the few dozen deadlines of one
/// actor: setting and cancelling search the table. The tens of thousands of a record cache are in a ``DeadlineHeap``,
/// in which those of the same instant come due in the order of their keys: what is put off stays where it is, and
/// the order in which it was set is not kept. Inlined, since every event of every actor sets deadlines, and without
/// that each call looks up the metadata of its generic types.
@usableFromInline
package struct TimerTable<Key: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline
  struct Entry: Hashable, Sendable {
    @usableFromInline let key: Key
    @usableFromInline let deadline: Instant

    @inlinable
    init(key: Key, deadline: Instant) { (self.key, self.deadline) = (key, deadline) }
  }
  @usableFromInline var entries: [Entry] = []  // The latest first, so that the next is the last.

  /// A table without deadlines.
  @inlinable
  package init() {}

  /// The earliest deadline, or `nil` when there is none.
  @inlinable package var next: Instant? { entries.last?.deadline }

  /// The deadline of a key, or `nil` when it has none.
  @inlinable
  package subscript(key: Key) -> Instant? { entries.first { $0.key == key }?.deadline }

  /// Sets or moves a key's deadline.
  @inlinable
  package mutating func set(_ key: Key, at deadline: Instant) {
    cancel(key)
    let index = entries.firstIndex { $0.deadline <= deadline } ?? entries.endIndex
    entries.insert(Entry(key: key, deadline: deadline), at: index)
  }

  /// Forgets a key's deadline, if it has one.
  @inlinable
  package mutating func cancel(_ key: Key) {
    if let index = entries.firstIndex(where: { $0.key == key }) { entries.remove(at: index) }
  }

  /// Takes the first key whose deadline has come, or `nil` when none has.
  @inlinable
  package mutating func popDue(at now: Instant) -> Key? {
    guard let last = entries.last, last.deadline <= now else { return nil }
    entries.removeLast()
    return last.key
  }
}
