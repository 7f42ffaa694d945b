import EarshotNetwork

extension Peer {
  /// Starts a task that lives no longer than the peer.
  ///
  /// It runs where the peer's host runs: what it awaits of the peer, its sessions and browsers comes without a
  /// change of threads, and in a simulation it is part of the world. The task is cancelled when ``stop(within:)``
  /// has ended the sessions; a loop over their events that waits for nothing else gets the last ones before. A task
  /// that is started after that is cancelled at once.
  ///
  /// - Parameters:
  ///   - name: The task's name, for messages about it; by default, it is called after the peer.
  ///   - operation: What it does. It holds what it captures until it ends, the peer too if it is captured.
  /// - Returns: The task, which need not be kept. In a simulated test, its error is a failure unless
  ///   the result of the task is read; see `World.unawaitedErrors`.
  @discardableResult
  public nonisolated func addTask<Value: Sendable>(
    _ name: String? = nil, _ operation: @escaping @Sendable () async throws -> Value
  ) -> PeerTask<Value> {
    core.tasks.start(name ?? self.name, on: host, operation)
  }
}

/// A task that ends with its peer.
public struct PeerTask<Value: Sendable>: Sendable {
  private let task: Task<Value, any Error>
  private let outcome: TaskOutcome<Value>

  init(_ task: Task<Value, any Error>, _ outcome: TaskOutcome<Value>) {
    (self.task, self.outcome) = (task, outcome)
  }

  /// The value that the task returns; waits for its end.
  ///
  /// Cancelling the waiting task changes nothing.
  ///
  /// - Throws: What the task throws.
  public var value: Value {
    get async throws {
      outcome.noteAsking()
      return try await task.value
    }
  }

  /// What the task returns or throws; waits for its end.
  public var result: Result<Value, any Error> {
    get async {
      outcome.noteAsking()
      return await task.result
    }
  }

  /// Whether the task was cancelled.
  public var isCancelled: Bool { task.isCancelled }

  /// Cancels the task.
  public func cancel() { task.cancel() }
}

/// Does something with a peer that ends with it.
///
/// The peer is stopped when `body` has returned or thrown: its sessions are left as ``Peer/stop(within:)`` leaves
/// them, and its tasks are cancelled.
///
/// - Parameters:
///   - name: What the peer calls itself; as for ``Peer/init(_:identity:trusting:configuration:on:)``.
///   - identity: Who the peer is; a new one by default.
///   - trust: Whom the peer links with.
///   - configuration: How the peer behaves.
///   - host: Where the peer is.
///   - body: What is done with the peer.
/// - Returns: What `body` returns.
/// - Throws: What the making of a peer throws, and what `body` throws.
public func withPeer<Result>(
  _ name: String, identity: Identity? = nil, trusting trust: TrustPolicy,
  configuration: Peer.Configuration = Peer.Configuration(), on host: any NetworkHost,
  _ body: (Peer) async throws -> Result
) async throws -> Result {
  let peer = try await Peer(
    name, identity: identity, trusting: trust, configuration: configuration, on: host)
  do {
    let result = try await body(peer)
    await peer.stop()
    return result
  } catch {
    await peer.stop()
    throw error
  }
}
