import Synchronization

/// The unfinished transfers of one membership; each learns whether a link carries it.
final class TransferList: Sendable {
  private struct State {
    var transfers: [Transfer] = []
    var isLinked = true
  }
  private let state = Mutex(State())

  /// Adds a transfer, which leaves when it has ended.
  func add(_ transfer: Transfer) {
    let isLinked = state.withLock { state in
      state.transfers.removeAll { $0.progress.isEnded }
      state.transfers.append(transfer)
      return state.isLinked
    }
    transfer.linked(isLinked)
  }

  /// How many have not ended.
  var count: Int { state.withLock { $0.transfers.count { !$0.progress.isEnded } } }

  /// A link carries the membership, or none does.
  func note(isLinked: Bool) {
    let transfers = state.withLock { state in
      state.isLinked = isLinked
      state.transfers.removeAll { $0.progress.isEnded }
      return state.transfers
    }
    for transfer in transfers { transfer.linked(isLinked) }
  }
}
