/// The first frames of a link: HELLO both ways, then the dialler's first request.
///
/// The story: once the channel knows who the remote is, each side sends HELLO. The dialler is done when it
/// has read the other's; it sends its request then. The listener is done when it has read the request,
/// INVITE or ATTACH, and nothing else may come before. Of two versions the lower is spoken, so that a newer peer need
/// not know what an older one is.
///
/// Who dials knows whom it waits for: it waits for five seconds since the last bytes came. Who is dialled does not: the
/// channel has to be secured within five seconds, however many bytes come, and HELLO must have come two seconds later.
/// The request may be large and the link slow: it may take five seconds since the last bytes came. No handshake takes
/// more than thirty seconds, and none takes in more than 16 KiB before it knows from whom they are.
package struct HandshakeMachine: Machine, Hashable, Sendable {
  package enum Role: Hashable, Sendable { case dialler, listener }
  package enum Event: Hashable, Sendable {
    case bytesReceived(Int)  // So many, whatever they are.
    case channelReady
    case helloReceived(Hello)
    case requestReceived  // INVITE or ATTACH.
    case otherReceived  // Any frame but HELLO, INVITE, ATTACH and CLOSE.
    case closeReceived(CloseCode)
    case transportEnded
    case deadlineReached
  }
  package enum Action: Hashable, Sendable {
    case wake(at: Instant)  // Replaces any earlier wake.
    case cancelWake
    case sendHello
    case sendClose(CloseCode)
    case closeTransport
    case reportGreeted(Hello)  // The dialler may send its request now.
    case reportRequested(Hello)  // The listener may look at the request now.
    case reportFailed(Reason)
  }
  package enum Reason: Hashable, Sendable {
    case timedOut
    case broken  // The transport failed, or ended without a CLOSE.
    case closed(CloseCode)  // By the remote.
    case closing(CloseCode)  // By this side: a violation.
  }
  private enum State: Hashable {
    case securing, greeting
    case requested(by: Hello)
    case done, failed
  }

  /// How long a handshake waits for bytes, and a listener for the channel.
  package static let timeout = Duration.seconds(5)
  /// How much longer a listener waits for HELLO.
  package static let helloTimeout = Duration.seconds(2)
  /// How many bytes may come before the channel is secured.
  package static let bytesMax = 16_384
  /// How long it may take altogether: 30 kB at 8 kbit/s.
  package static let longest = Duration.seconds(30)
  private var state = State.securing
  private let role: Role
  private let start: Instant
  private var bytesReceived = 0  // Until the channel is secured.

  /// Begins over a transport that is open.
  package init(_ role: Role, at now: Instant, into out: inout [Action]) {
    (self.role, start) = (role, now)
    out.append(.wake(at: now + Self.timeout))
  }

  /// Whether the link is ready for whatever comes after the handshake.
  package var isDone: Bool { state == .done }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    state = next(after: event, at: now, into: &out)
  }

  private mutating func next(
    after event: Event, at now: Instant, into out: inout [Action]
  ) -> State {
    switch (state, event) {
    case (.securing, .channelReady):
      out.append(.sendHello)
      if role == .listener { out.append(.wake(at: start + Self.timeout + Self.helloTimeout)) }
      return .greeting
    case (.greeting, .helloReceived(let hello)): return greeted(by: hello, at: now, into: &out)
    case (.requested(let hello), .requestReceived):
      out += [.cancelWake, .reportRequested(hello)]
      return .done
    case (.done, _), (.failed, _): return state  // What comes after the handshake is for others.
    case (.securing, .bytesReceived(let count)):
      bytesReceived += count
      if bytesReceived > Self.bytesMax { return close(.protocolViolation, into: &out) }
      if role == .dialler { waitOn(at: now, into: &out) }
      return state
    case (.greeting, .bytesReceived):
      if role == .dialler { waitOn(at: now, into: &out) }
      return state
    case (.requested, .bytesReceived):
      waitOn(at: now, into: &out)
      return state
    case (_, .deadlineReached): return fail(.timedOut, sending: .handshakeTimeout, into: &out)
    case (_, .closeReceived(let code)): return fail(.closed(code), sending: nil, into: &out)
    case (_, .transportEnded): return fail(.broken, sending: nil, into: &out)
    case (.securing, .helloReceived), (.securing, .requestReceived), (.securing, .otherReceived),
      (.greeting, .channelReady), (.greeting, .requestReceived), (.greeting, .otherReceived),
      (.requested, .channelReady), (.requested, .helloReceived), (.requested, .otherReceived):
      return close(.protocolViolation, into: &out)
    }
  }

  /// Waits for more.
  private func waitOn(at now: Instant, into out: inout [Action]) {
    out.append(.wake(at: min(now + Self.timeout, start + Self.longest)))
  }

  private func greeted(by hello: Hello, at now: Instant, into out: inout [Action]) -> State {
    guard hello.version >= 1 else { return close(.unsupportedVersion, into: &out) }
    switch role {
    case .listener:
      waitOn(at: now, into: &out)
      return .requested(by: hello)
    case .dialler:
      out += [.cancelWake, .reportGreeted(hello)]
      return .done
    }
  }

  private func close(_ code: CloseCode, into out: inout [Action]) -> State {
    fail(.closing(code), sending: code, into: &out)
  }

  private func fail(
    _ reason: Reason, sending code: CloseCode?, into out: inout [Action]
  ) -> State {
    out.append(.cancelWake)
    // A channel that is not secured yet carries nothing, not even a reason.
    if let code, state != .securing { out.append(.sendClose(code)) }
    out += [.closeTransport, .reportFailed(reason)]
    return .failed
  }
}

extension HandshakeMachine.Event {
  /// The event that a frame is during the handshake.
  package init(_ frame: Frame) {
    switch frame {
    case .link(.hello(let hello)): self = .helloReceived(hello)
    case .link(.close(let close)): self = .closeReceived(close.code)
    case .invitation(.invite), .attachment(.attach): self = .requestReceived
    case .link(.ping), .link(.pong), .invitation, .attachment(.attached), .acknowledgement, .credit,
      .group, .stream, .datagram, .verification:
      self = .otherReceived
    }
  }
}
