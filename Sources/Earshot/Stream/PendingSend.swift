import EarshotCore
import Synchronization

/// One call of `send` that waits for room in the send buffers of some members, in all of them at once.
final class PendingSend: Sendable {
  /// What became of the message for one member.
  enum Outcome: Sendable {
    case appended(Int)
    case ended, withdrawn
  }

  private struct Place {
    let entry: SessionDirectory.Entry
    let ticket: SendQueue.Ticket
  }
  private struct State {
    var places: [Place] = []
    var openCount = 0
    var sent: [SendReceipt.Part] = []
    var isWithdrawn = false
    var waiter: UnsafeContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  /// Waits for room in one more send buffer.
  func wait(for entry: SessionDirectory.Entry, toTake message: [UInt8]) {
    state.withLock { $0.openCount += 1 }
    let ticket = entry.reliable.enqueue(message) { [self] in settle(entry, $0) }
    guard let ticket else { return }
    state.withLock { $0.places.append(Place(entry: entry, ticket: ticket)) }
  }

  /// Waits until there was room in all of them; cancelling the task takes the message out of the others.
  ///
  /// - Returns: The message as it went to the members that get it, and whether it was taken back from any.
  func settled() async -> (sent: [SendReceipt.Part], isWithdrawn: Bool) {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        let isSettled = state.withLock { state in
          if state.openCount > 0 { state.waiter = waiter }
          return state.openCount == 0
        }
        if isSettled { waiter.resume() }
      }
    } onCancel: {
      for place in state.withLock({ $0.places }) { place.entry.reliable.withdraw(place.ticket) }
    }
    return state.withLock { ($0.sent, $0.isWithdrawn) }
  }

  private func settle(_ entry: SessionDirectory.Entry, _ outcome: Outcome) {
    let waiter = state.withLock { state in
      switch outcome {
      case .appended(let number):
        state.sent.append(SendReceipt.Part(reliable: entry.reliable, number: number))
      case .ended: break
      case .withdrawn: state.isWithdrawn = true
      }
      state.openCount -= 1
      return state.openCount == 0 ? state.waiter.take() : nil
    }
    waiter?.resume()
  }
}
