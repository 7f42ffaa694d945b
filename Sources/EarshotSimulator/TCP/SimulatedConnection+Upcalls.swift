/// The application's side of a connection: its handler, and what it has yet to be told.
struct Upcalls {
  var handler: (any ConnectionHandler)?
  var isOpeningDue = false
  var isEndTold = false
  var isWriterWaiting = false
  var isPaused = false
  var failure: NetworkError?
  /// Whether a call is on its way.
  var isScheduled = false
}

extension SimulatedConnection {
  /// Has the application told, behind what is ready to run.
  func scheduleUpcalls() {
    guard !upcalls.isScheduled, upcalls.handler != nil else { return }
    upcalls.isScheduled = true
    kernel.process.performUpcalls(of: self)
  }

  /// Tells the application what happened, in order, as far as it wants to hear.
  func makeUpcalls() {
    upcalls.isScheduled = false
    if upcalls.isOpeningDue, let handler = upcalls.handler {
      upcalls.isOpeningDue = false
      handler.connectionOpened(self)
    }
    handOverBytes()
    let isAtEnd = tcb.inbound.isFINReceived && tcb.inbound.unread.isEmpty
    if isAtEnd, !upcalls.isEndTold, !upcalls.isPaused, let handler = upcalls.handler {
      upcalls.isEndTold = true
      handler.connectionReceivedEnd(self)
    }
    if upcalls.isWriterWaiting, upcalls.failure == nil, tcb.outbound.isWorthWriting,
      let handler = upcalls.handler
    {
      upcalls.isWriterWaiting = false
      handler.connectionBecameWritable(self)
    }
    if let failure = upcalls.failure, let handler = upcalls.handler {
      upcalls.handler = nil
      handler.connection(self, failed: failure)
    }
  }

  private func handOverBytes() {
    while !upcalls.isPaused, !tcb.inbound.unread.isEmpty, let handler = upcalls.handler {
      let bytes = tcb.inbound.take(atMost: 65_536)
      handler.connection(self, received: bytes.span)
      upcalls.handler?.connectionReceivedAll(self)
    }
    guard tcb.state == .established, !tcb.inbound.isFINReceived else { return }
    let growth = tcb.inbound.receiveWindow - tcb.advertisedWindow
    let isWorthTelling = growth >= tcb.inbound.bufferBytes / 4
    if isWorthTelling, tcb.advertisedWindow < tcb.inbound.bufferBytes / 2 { send(.ack) }
  }
}
