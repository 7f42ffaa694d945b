/// What an object that several clients share does when it is used by one client at a time.
///
/// A ``History`` of concurrent operations is checked against it. A register, for example, in which nothing but the last
/// value can be read:
///
/// ```swift
/// struct Light: SequentialModel {
///   enum Operation { case turn(on: Bool), look }
///   let initialState = false
///
///   func state(after operation: Operation, returning response: Bool?, from state: Bool) -> Bool? {
///     switch operation {
///     case .turn(let on): on
///     case .look: response == nil || response == state ? state : nil
///     }
///   }
/// }
/// ```
///
/// - SeeAlso: Herlihy, Wing: "Linearizability: a correctness condition for concurrent objects" (TOPLAS 12(3), 1990).
public protocol SequentialModel<Operation, Response>: Sendable {
  /// The state of the object.
  associatedtype State: Hashable & Sendable
  /// What clients ask of the object, with its arguments.
  associatedtype Operation: Sendable
  /// What the object answers.
  associatedtype Response: Sendable
  /// The name of an independent part of the object, such as a key of a map.
  associatedtype Key: Hashable & Sendable = Int

  /// The state of the object before all operations.
  var initialState: State { get }

  /// The state of the object after an operation.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - response: What the operation returned; `nil` if it has not returned, and may have returned anything.
  ///   - state: The state of the object before the operation.
  /// - Returns: The state after the operation, or `nil` if an operation cannot return this from that state.
  func state(after operation: Operation, returning response: Response?, from state: State) -> State?

  /// Whether an operation leaves every state as it is, whatever it returns.
  ///
  /// Such operations take less time to check. Unless a model says otherwise, there are none.
  func isReadOnly(_ operation: Operation) -> Bool

  /// The independent part of the object that an operation uses.
  ///
  /// Operations on different parts must not depend on each other: the operations on each part are checked by
  /// themselves, from the initial state on, which takes much less time. Unless a model says otherwise, there is one part.
  ///
  /// - SeeAlso: Horn, Kroening: "Faster linearizability checking via P-compositionality" (FORTE 2015).
  func key(of operation: Operation) -> Key
}

extension SequentialModel where Key == Int {
  /// The only part of the object.
  public func key(of operation: Operation) -> Int { 0 }
}

extension SequentialModel {
  /// Whether an operation leaves every state as it is: not known.
  public func isReadOnly(_ operation: Operation) -> Bool { false }

  /// A record of operations on an object of this kind.
  public typealias OperationHistory = History<Operation, Response>
}
