/// A set, to which elements are added and from which they are removed.
///
/// The operations on each element are checked by themselves.
public struct SetModel<Element: Hashable & Sendable>: SequentialModel {
  /// What clients ask of a set.
  public enum Operation: Hashable, Sendable {
    case insert(Element)
    case remove(Element)
    case contains(Element)
  }

  /// What a set answers to each of the operations: whether it has contained the element before.
  public enum Response: Hashable, Sendable {
    case absent, present
    /// An element was inserted or removed, and it is not known whether it was there before.
    case done
  }

  /// Whether an element is there before all operations: it is not.
  public let initialState = false

  /// A set that is empty.
  public init() {}

  /// Whether the element is there after an operation.
  public func state(
    after operation: Operation, returning response: Response?, from state: Bool
  ) -> Bool? {
    guard response == nil || response == .done || response == (state ? .present : .absent) else {
      return nil
    }
    return switch operation {
    case .insert: true
    case .remove: false
    case .contains: response == .done ? nil : state
    }
  }

  /// Whether the operation asks for an element.
  public func isReadOnly(_ operation: Operation) -> Bool {
    if case .contains = operation { true } else { false }
  }

  /// The element.
  public func key(of operation: Operation) -> Element {
    switch operation {
    case .insert(let element), .remove(let element), .contains(let element): element
    }
  }
}
