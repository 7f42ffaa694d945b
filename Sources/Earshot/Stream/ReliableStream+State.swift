import EarshotCore

extension ReliableStream {
  typealias Settle = @Sendable (PendingSend.Outcome) -> Void

  struct Awaited {
    let number: Int
    let promise: Promise<Bool?>
  }

  /// All that the lock of the stream guards.
  struct State {
    var machine: ReliableStreamMachine
    var pending: [SendQueue.Ticket: Settle] = [:]
    var isClosed = false  // What was sent now would stand behind LEAVE.
    var isEnded = false
    var flushed: (@Sendable () -> Void)?
    var messagesSent = 0
    var messagesReceived = 0
    var awaited: [Awaited] = []  // In ascending order.

    var acknowledgedCount: Int { messagesSent - machine.outbound.unacknowledgedMessages }

    /// Takes out the calls that wait for messages which have arrived.
    mutating func takeDelivered() -> ArraySlice<Awaited> {
      guard !awaited.isEmpty else { return [] }
      let count = awaited.prefix { $0.number <= acknowledgedCount }.count
      defer { awaited.removeFirst(count) }
      return awaited.prefix(count)
    }
  }
}
