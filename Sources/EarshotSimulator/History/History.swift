import Synchronization

/// A record of what clients did to an object that they share, to be checked against a model of the object.
///
/// ```swift
/// let history = RegisterModel<Int>.OperationHistory()
/// ann.addTask("writer") {
///   try await history.record(.write(3), by: "ann", on: ann) {
///     try await store.write(3)
///     return .written
///   }
/// }
/// world.run(for: .seconds(10))
/// try history.check(against: RegisterModel(initial: 0)).get()
/// ```
///
/// The order of the calls on the history is the order of events: an operation that is invoked after another one has
/// returned comes later, also at the same instant of virtual time. A client that has several operations under way at
/// once is as good as several clients. Everything is kept until the history is released.
public final class History<Operation: Sendable, Response: Sendable>: Sendable {
  /// An operation that was invoked, for the call that ends it.
  public struct Invocation: Sendable {
    fileprivate let index: Int
  }

  private struct State {
    var operations: [RecordedOperation<Operation, Response>?] = []
    var eventCount = 0

    func checkPending(_ index: Int) {
      precondition(
        operations[index].map { $0.returned == nil } ?? false, "an operation ends only once")
    }

    mutating func takeEvent(at instant: Instant) -> HistoryEvent {
      eventCount += 1
      return HistoryEvent(number: eventCount, instant: instant)
    }
  }
  private let state = Mutex(State())

  /// A record without operations.
  public init() {}

  /// Takes in that a client invokes an operation.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - client: The name of the client, for messages.
  ///   - instant: The time of the client's clock, for messages.
  /// - Returns: The invocation. If nothing more is heard of it, the operation takes effect at any time from now on,
  ///   or never.
  public func invoke(
    _ operation: Operation, by client: String, at instant: Instant
  ) -> Invocation {
    state.withLock { state in
      let event = state.takeEvent(at: instant)
      state.operations.append(
        RecordedOperation(client: client, operation: operation, invoked: event))
      return Invocation(index: state.operations.count - 1)
    }
  }

  /// Takes in that an operation has returned: it has taken effect before.
  ///
  /// - Parameters:
  ///   - invocation: The invocation of the operation, which has not ended so far.
  ///   - response: What it has returned.
  ///   - instant: The time of the client's clock, for messages.
  public func complete(
    _ invocation: Invocation, returning response: Response, at instant: Instant
  ) {
    state.withLock { state in
      state.checkPending(invocation.index)
      let event = state.takeEvent(at: instant)
      state.operations[invocation.index]?.response = response
      state.operations[invocation.index]?.returned = event
    }
  }

  /// Takes in that an operation has not taken effect, and never will: it is forgotten.
  ///
  /// - Parameter invocation: The invocation of the operation, which has not ended so far.
  public func discard(_ invocation: Invocation) {
    state.withLock { state in
      state.checkPending(invocation.index)
      state.operations[invocation.index] = nil
    }
  }

  /// Records an operation from its invocation to its return.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - client: The name of the client, for messages.
  ///   - host: The host whose clock gives the times, for messages.
  ///   - body: Performs the operation.
  /// - Returns: What the body returns, which is the response.
  /// - Throws: What the body throws; then the operation takes effect at any time after its invocation, or never.
  @discardableResult
  public func record(
    _ operation: Operation, by client: String, on host: any NetworkHost,
    _ body: nonisolated(nonsending) () async throws -> Response
  ) async rethrows -> Response {
    let invocation = invoke(operation, by: client, at: host.now)
    let response = try await body()
    complete(invocation, returning: response, at: host.now)
    return response
  }

  /// The operations so far, in the order of their invocations.
  var operations: [RecordedOperation<Operation, Response>] {
    state.withLock { $0.operations.compactMap(\.self) }
  }
}
