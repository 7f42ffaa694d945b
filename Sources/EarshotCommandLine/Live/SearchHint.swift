import Earshot
import Synchronization

/// The hint at `earshot doctor`, once, when a search has found no peer for ten seconds.
final class SearchHint: Sendable {
  private let hasFound = Mutex(false)

  /// Starts the clock.
  ///
  /// - Parameters:
  ///   - host: The host whose clock counts.
  ///   - show: Called with the sentence, unless a peer has been found by then.
  /// - Returns: The clock; cancelled when the search ends.
  func start(
    on host: any NetworkHost, _ show: @escaping @Sendable (String) async -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: host.executor.task) { [self] in
      guard (try? await host.sleep(for: Self.patience)) != nil else { return }
      if !hasFound.withLock({ $0 }) { await show(Self.sentence) }
    }
  }

  /// Notes an event of the search.
  func note(_ event: BrowserEvent) {
    if case .found = event { hasFound.withLock { $0 = true } }
  }

  private static let patience = Duration.seconds(10)
  private static let sentence =
    "No peer has been found for ten seconds; \"earshot doctor\" looks for the cause"
}
