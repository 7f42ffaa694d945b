import Synchronization

extension ReliableChannel {
  /// What waits in a channel.
  struct Queues {
    /// Bytes of messages and streams to be sent or acknowledged.
    let outboundBytes: Int
    /// Calls that wait for room.
    let waitingSends: Int
    /// Bytes of messages that the program has not taken, as the window counts them.
    let unreadMessageBytes: Int
    /// Bytes of streams that the program has not read.
    let unreadStreamBytes: Int
    /// Streams that are not over.
    let streams: Int
  }

  /// What waits now.
  var queues: Queues {
    let released = releasedBytes
    return state.withLock { state in
      let streams = state.machine.streamTable
      return Queues(
        outboundBytes: state.machine.messages.bufferedBytes + streams.bufferedBytes,
        waitingSends: state.pending.count,
        unreadMessageBytes: max(0, state.machine.inbound.heldBytes - released),
        unreadStreamBytes: streams.unreadBytes, streams: streams.openCount)
    }
  }
}
