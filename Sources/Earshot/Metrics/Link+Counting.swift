import EarshotNetwork

/// Why a link is over, or did not open.
enum LinkEnding {
  /// It ended by itself, or the remote peer ended it.
  case end(LinkEnd)
  /// This side closed it.
  case local(CloseCode)
  /// It had to make room for others, or waited too long.
  case crowded
  /// The host went down.
  case hostDown

  /// A code word; there are as many as there are codes.
  var word: String {
    switch self {
    case .end(.closed(let code)): "remote.\(code.word)"
    case .end(.violation(let code)): "violation.\(code.word)"
    case .end(let end): end.reason
    case .local(let code): "local.\(code.word)"
    case .crowded: "crowded"
    case .hostDown: NetworkError.Code.hostDown.name
    }
  }
}

extension Link {
  /// Whether the link counts as one.
  enum Standing {
    /// The greetings are not exchanged.
    case pending
    case open, over
  }

  /// What a living connection has counted.
  struct Counted: Sendable {
    let remote: PeerID?
    let bytesWritten: Int
    let bytesRead: Int
    let progress: TransportProgress
    let isOpen: Bool
  }

  /// What the connection has counted, from its opening to its end.
  var counted: Counted? {
    transport.map { transport in
      Counted(
        remote: transport.remote, bytesWritten: transport.bytesSent,
        bytesRead: transport.bytesReceived, progress: transport.connection.progress,
        isOpen: standing == .open)
    }
  }

  /// Counts the link as open.
  func noteOpening() {
    guard standing == .pending else { return }
    standing = .open
    let isDialled = isDialled
    context.meter.assumeIsolated { $0.opened(byDialling: isDialled) }
  }

  /// Counts and logs the end of the link, once, for the first reason that is given.
  func noteEnding(_ ending: LinkEnding) {
    guard standing != .over else { return }
    let (wasOpen, isDialled) = (standing == .open, isDialled)
    standing = .over
    context.log.noteEnded(self, ending)
    context.meter.assumeIsolated { $0.ended(ending, dialled: isDialled, wasOpen: wasOpen) }
  }
}

extension CloseCode {
  /// The name of a code that this version knows: a remote peer must not make up reasons.
  fileprivate var word: String { name ?? "unknown" }
}
