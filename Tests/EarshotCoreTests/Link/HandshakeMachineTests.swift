import EarshotCore
import TestKit
import Testing

@Suite("Handshake")
struct HandshakeMachineTests {
  typealias Event = HandshakeMachine.Event
  typealias Action = HandshakeMachine.Action

  static let hello = Hello(port: 1, displayName: "Bob")
  static let newer = Hello(version: 7, port: 1, displayName: "Bob")
  static let ancient = Hello(version: 0, port: 1, displayName: "Bob")
  static let events: [Event] = [
    .channelReady, .helloReceived(hello), .helloReceived(ancient), .requestReceived,
    .otherReceived, .closeReceived(.full), .transportEnded, .deadlineReached,
  ]

  @Test("Bytes that come give a dialler another five seconds, but no more than thirty")
  func slowDialler() {
    var actions: [Action] = []
    var machine = HandshakeMachine(.dialler, at: .zero, into: &actions)
    #expect(actions == [.wake(at: .zero + .seconds(5))])
    for second in stride(from: 4, through: 40, by: 4) {
      actions = []
      if second == 20 { machine.handle(.channelReady, at: .zero + .seconds(20), into: &actions) }
      actions = []
      machine.handle(.bytesReceived(1), at: .zero + .seconds(second), into: &actions)
      #expect(actions == [.wake(at: .zero + .seconds(min(second + 5, 30)))])
    }
    actions = []
    machine.handle(.deadlineReached, at: .zero, into: &actions)
    #expect(actions.last == .reportFailed(.timedOut))
    actions = []
    machine.handle(.bytesReceived(1), at: .zero + .seconds(41), into: &actions)
    #expect(actions.isEmpty)
  }

  @Test("Bytes that come give a stranger no more time to say who it is, only to say what it wants")
  func slowStranger() {
    var actions: [Action] = []
    var machine = HandshakeMachine(.listener, at: .zero, into: &actions)
    func take(_ event: Event, at milliseconds: Int) -> [Action] {
      actions = []
      machine.handle(event, at: .zero + .milliseconds(milliseconds), into: &actions)
      return actions
    }
    #expect(actions == [.wake(at: .zero + .seconds(5))])
    #expect(take(.bytesReceived(1), at: 4_000) == [])
    #expect(take(.channelReady, at: 4_500) == [.sendHello, .wake(at: .zero + .seconds(7))])
    #expect(take(.bytesReceived(1), at: 5_000) == [])
    #expect(take(.helloReceived(Self.hello), at: 6_000) == [.wake(at: .zero + .seconds(11))])
    #expect(take(.bytesReceived(1), at: 10_000) == [.wake(at: .zero + .seconds(15))])
    #expect(take(.bytesReceived(1), at: 28_000) == [.wake(at: .zero + .seconds(30))])
    #expect(take(.requestReceived, at: 29_000) == [.cancelWake, .reportRequested(Self.hello)])
  }

  @Test(
    "A channel that is not secured after 16 KiB is given up, however they come",
    arguments: [HandshakeMachine.Role.listener, .dialler], [1, 1_000, 16_385])
  func tooMuch(role: HandshakeMachine.Role, bytes: Int) {
    var actions: [Action] = []
    var machine = HandshakeMachine(role, at: .zero, into: &actions)
    var received = 0
    while received + bytes <= HandshakeMachine.bytesMax {
      machine.handle(.bytesReceived(bytes), at: .zero, into: &actions)
      received += bytes
    }
    #expect(!actions.contains(.closeTransport))
    var secured = machine
    secured.handle(.channelReady, at: .zero, into: &actions)
    actions = []
    secured.handle(.bytesReceived(60_000), at: .zero, into: &actions)
    #expect(!actions.contains(.closeTransport))
    actions = []
    machine.handle(.bytesReceived(bytes), at: .zero, into: &actions)
    #expect(
      actions == [.cancelWake, .closeTransport, .reportFailed(.closing(.protocolViolation))])
  }

  /// A course of events and the actions that it leads to, wakes left out.
  struct Course: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let role: HandshakeMachine.Role
    let events: [Event]
    let actions: [Action]

    init(
      _ description: String, _ role: HandshakeMachine.Role, _ events: [Event], _ actions: [Action]
    ) {
      (testDescription, self.role, self.events, self.actions) = (description, role, events, actions)
    }
  }

  static func failure(_ code: CloseCode, _ reason: HandshakeMachine.Reason? = nil) -> [Action] {
    [.cancelWake, .sendClose(code), .closeTransport, .reportFailed(reason ?? .closing(code))]
  }

  static let courses = [
    Course(
      "a dialler greets and is greeted", .dialler, [.channelReady, .helloReceived(hello)],
      [.sendHello, .cancelWake, .reportGreeted(hello)]),
    Course(
      "a listener waits for the request", .listener,
      [.channelReady, .helloReceived(hello), .requestReceived],
      [.sendHello, .cancelWake, .reportRequested(hello)]),
    Course(
      "a newer version is welcome", .dialler, [.channelReady, .helloReceived(newer)],
      [.sendHello, .cancelWake, .reportGreeted(newer)]),
    Course(
      "version 0 does not exist", .dialler, [.channelReady, .helloReceived(ancient)],
      [.sendHello] + failure(.unsupportedVersion)),
    Course(
      "a request before HELLO is a violation", .listener, [.channelReady, .requestReceived],
      [.sendHello] + failure(.protocolViolation)),
    Course(
      "a second HELLO is a violation", .listener,
      [.channelReady, .helloReceived(hello), .helloReceived(hello)],
      [.sendHello] + failure(.protocolViolation)),
    Course(
      "anything but a request is a violation", .listener,
      [.channelReady, .helloReceived(hello), .otherReceived],
      [.sendHello] + failure(.protocolViolation)),
    Course(
      "the first frames have five seconds", .listener,
      [.channelReady, .helloReceived(hello), .deadlineReached],
      [.sendHello] + failure(.handshakeTimeout, .timedOut)),
    Course(
      "a channel that is not secured carries no reason", .dialler, [.deadlineReached],
      [.cancelWake, .closeTransport, .reportFailed(.timedOut)]),
    Course(
      "a CLOSE is not answered", .dialler, [.channelReady, .closeReceived(.full)],
      [.sendHello, .cancelWake, .closeTransport, .reportFailed(.closed(.full))]),
    Course(
      "a transport may break", .dialler, [.channelReady, .transportEnded],
      [.sendHello, .cancelWake, .closeTransport, .reportFailed(.broken)]),
  ]

  @Test("Every course of events leads to its actions", arguments: courses)
  func transitions(course: Course) {
    var actions: [Action] = []
    var machine = HandshakeMachine(course.role, at: .zero, into: &actions)
    #expect(actions == [.wake(at: .zero + .seconds(5))])
    actions = []
    for event in course.events { machine.handle(event, at: .zero, into: &actions) }
    #expect(actions.filter { !$0.isWake } == course.actions)
  }

  @Test(
    "In every state that can be reached, the end is reported once and nothing follows it",
    arguments: [HandshakeMachine.Role.dialler, .listener])
  func walk(role: HandshakeMachine.Role) {
    var actions: [Action] = []
    let first = HandshakeMachine(role, at: .zero, into: &actions)
    var frontier: Set<HandshakeMachine> = [first]
    var seen = frontier
    var ended: Set<HandshakeMachine> = []
    while let machine = frontier.popFirst() {
      for event in Self.events {
        var next = machine
        actions = []
        next.handle(event, at: .zero, into: &actions)
        let ends = actions.count { $0.isEnd }
        #expect(ends <= 1)
        #expect(ends == 0 || actions.contains(.cancelWake))
        if ended.contains(machine) { #expect(actions.isEmpty && next == machine) }
        if ends == 1 { ended.insert(next) }
        if seen.insert(next).inserted { frontier.insert(next) }
      }
    }
    #expect(ended.count == 2)
    #expect(seen.count == (role == .dialler ? 4 : 5))
  }

  @Test("Frames are the events that they are")
  func frames() {
    var actions: [Action] = []
    var machine = HandshakeMachine(.listener, at: .zero, into: &actions)
    machine.handle(.channelReady, at: .zero, into: &actions)
    machine.handle(.helloReceived(Self.hello), at: .zero, into: &actions)
    let attach = Frame.attachment(
      .attach(
        Attach(
          source: Golden.session, destination: Golden.other,
          membership: MembershipID(rawValue: 2), isProposal: false, ended: .none, epoch: 1,
          received: 0, grant: ChannelGrant(messageLimit: 0, streams: 16), terms: Golden.terms)))
    machine.handle(HandshakeMachine.Event(attach), at: .zero, into: &actions)
    #expect(machine.isDone)
    for frame in Golden.all.map(\.frame) {
      var machine = HandshakeMachine(.dialler, at: .zero, into: &actions)
      machine.handle(.channelReady, at: .zero, into: &actions)
      machine.handle(HandshakeMachine.Event(frame), at: .zero, into: &actions)
      #expect(machine.isDone == (frame == Golden.all[0].frame))
    }
  }
}

extension HandshakeMachine.Action {
  fileprivate var isWake: Bool { if case .wake = self { true } else { false } }
  fileprivate var isEnd: Bool {
    switch self {
    case .reportGreeted, .reportRequested, .reportFailed: true
    case .wake, .cancelWake, .sendHello, .sendClose, .closeTransport: false
    }
  }
}
