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
    var gone: [PeerID] = []
    var withdrawn: [PeerID] = []
    var waiter: UnsafeContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  /// Waits for room in one more send buffer.
  func wait(for entry: SessionDirectory.Entry, toTake message: [UInt8]) {
    state.withLock { $0.openCount += 1 }
    let ticket = entry.stream.enqueue(message) { [self] in settle(entry, $0) }
    guard let ticket else { return }
    state.withLock { $0.places.append(Place(entry: entry, ticket: ticket)) }
  }

  /// Waits until there was room in all of them; cancelling the task takes the message out of the others.
  ///
  /// - Returns: The members that get the message, those that were none any longer, and those for which it was taken
  ///   back.
  func settled() async -> (sent: [SendReceipt.Part], gone: [PeerID], withdrawn: [PeerID]) {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        let isSettled = state.withLock { state in
          if state.openCount > 0 { state.waiter = waiter }
          return state.openCount == 0
        }
        if isSettled { waiter.resume() }
      }
    } onCancel: {
      for place in state.withLock({ $0.places }) { place.entry.stream.withdraw(place.ticket) }
    }
    return state.withLock { ($0.sent, $0.gone, $0.withdrawn) }
  }

  private func settle(_ entry: SessionDirectory.Entry, _ outcome: Outcome) {
    let waiter = state.withLock { state in
      switch outcome {
      case .appended(let number):
        state.sent.append(SendReceipt.Part(stream: entry.stream, number: number))
      case .ended: state.gone.append(entry.id)
      case .withdrawn: state.withdrawn.append(entry.id)
      }
      state.openCount -= 1
      return state.openCount == 0 ? state.waiter.take() : nil
    }
    waiter?.resume()
  }
}
