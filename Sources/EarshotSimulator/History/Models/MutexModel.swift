/// A lock that one client holds at a time.
public struct MutexModel: SequentialModel {
  /// What clients ask of a lock, with the name of the client.
  public enum Operation: Hashable, Sendable {
    /// Waits until the lock is free, and takes it.
    case lock(String)
    /// Takes the lock if it is free.
    case tryLock(String)
    /// Gives back the lock, which the client holds.
    case unlock(String)
  }

  /// What a lock answers.
  public enum Response: Hashable, Sendable {
    /// The client holds the lock.
    case locked
    /// Another client holds the lock.
    case busy
    case unlocked
  }

  /// Who holds the lock before all operations: no client does.
  public let initialState: String? = nil

  /// A lock that is free.
  public init() {}

  /// Who holds the lock after an operation.
  public func state(
    after operation: Operation, returning response: Response?, from state: String?
  ) -> String?? {
    switch (operation, response) {
    case (.lock(let client), nil), (.lock(let client), .locked), (.tryLock(let client), .locked):
      state == nil ? .some(client) : nil
    case (.tryLock(let client), nil): .some(state ?? client)
    case (.tryLock, .busy): state == nil ? nil : .some(state)
    case (.unlock(let client), nil), (.unlock(let client), .unlocked):
      state == client ? .some(nil) : nil
    case (.lock, _), (.tryLock, _), (.unlock, _): nil
    }
  }
}
