import EarshotNetwork
import Foundation
import Synchronization

/// Keeps a `Progress` of Foundation's and a transfer alike, in both directions.
///
/// Foundation calls handlers on threads of its own, which a simulated world cannot know. So the
/// object is asked whether it was cancelled or paused, every twentieth of a second until the
/// transfer has ended.
final class ProgressBridge: Sendable {
  /// The object, which is changed under the lock alone.
  let progress: Progress
  private let isPaused = Mutex(false)

  /// An object for a transfer in a state.
  init(_ state: ResourceProgress) {
    progress = Progress(totalUnitCount: state.totalBytes ?? -1)
    progress.kind = .file
    progress.isCancellable = true
    progress.isPausable = true
    update(state)
  }

  /// Shows a state.
  func update(_ state: ResourceProgress) {
    isPaused.withLock { _ in
      if let total = state.totalBytes { progress.totalUnitCount = total }
      progress.completedUnitCount = state.completedBytes
    }
  }

  /// Keeps both alike until the transfer has ended.
  func watch(_ transfer: ResourceTransfer, on host: any NetworkHost) {
    Task(executorPreference: host.executor.task) {
      while !transfer.isEnded {
        self.update(transfer.currentProgress)
        self.follow(transfer)
        do { try await host.sleep(for: Self.interval) } catch { return }
      }
    }
  }

  private func follow(_ transfer: ResourceTransfer) {
    if progress.isCancelled { return transfer.cancel() }
    let (isPaused, changed) = isPaused.withLock { isPaused in
      let changed = isPaused != progress.isPaused
      isPaused = progress.isPaused
      return (isPaused, changed)
    }
    guard changed else { return }
    if isPaused { transfer.pause() } else { transfer.resume() }
  }

  private static let interval = Duration.milliseconds(50)
}
