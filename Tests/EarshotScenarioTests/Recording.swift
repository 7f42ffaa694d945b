import EarshotCore
import EarshotScenario
import EarshotSimulator

/// A recording of a run that never was, put together word by word.
struct Recording {
  let scenario: Scenario
  let recorder = Recorder()

  /// A recording of a minute with ann, bob and cy, unless a scenario's peers are given.
  init(
    _ peers: String = "'ann', 'bob', 'cy'", more: String = "", lasting time: Duration = .seconds(60)
  ) throws {
    let duration = "\(time / .seconds(1))s"
    scenario = try Scenario(
      json5: "{ name: 'r', duration: '\(duration)', peers: [\(peers)], \(more) }", file: "r.json5")
    for name in scenario.peerNames { know(name) }
  }

  /// The names of the invariants that the recording violates.
  var violated: [String] { results.filter { !$0.held }.map(\.name) }

  /// What the invariants that it violates say.
  var complaints: [String] { results.filter { !$0.held }.map(\.observed) }

  var results: [Verdict.Result] { Invariants(scenario, recorder.everything).results }

  /// A peer has one more identity.
  func know(_ name: String) {
    let number = recorder.everything.identities[name, default: 0]
    var key = Array("\(name) \(number)".utf8.prefix(32))
    key += [UInt8](repeating: 0, count: 32 - key.count)
    if let id = PeerID(key) { recorder.know(id, as: name) }
  }

  /// Something happened.
  func note(
    _ seconds: Double, _ observer: String, _ kind: Timeline.Kind, _ subject: String? = nil,
    _ detail: String = "", identity: Int = 0, in session: String = "main", sessionNumber: Int = 0
  ) {
    recorder.note(
      Timeline.Entry(
        .seconds(seconds), observer, kind, subject, identity: identity, detail, in: session,
        sessionNumber: sessionNumber))
  }

  /// Each of some peers has each other one as a member.
  func join(_ seconds: Double, _ names: String..., session: String = "main") {
    for observer in names {
      for subject in names where subject != observer {
        note(seconds, observer, .joined, subject, in: session)
      }
    }
  }

  /// A fault goes on from one time to another, or for ever.
  func fault(_ kind: Fault.Kind, _ number: Int = 1, from start: Double, to end: Double? = nil) {
    recorder.beginFault(kind, number, at: .seconds(start))
    if let end { recorder.endFault(number, at: .seconds(end)) }
  }

  /// One message a second goes from one peer to another, from a time on; the first of them arrive.
  func send(_ count: Int, from sender: String, to receiver: String, at start: Double, arrived: Int)
  {
    let series = recorder.openSeries(Direction(sender, receiver), in: "main", isEcho: false)
    let key = MembershipLog.LedgerKey(
      sender: sender, receiver: receiver, identity: 0, session: "main")
    for second in 0..<count {
      let time = Duration.seconds(start) + .seconds(second)
      let number = recorder.sendBegins(on: series, key, at: time)
      guard second < arrived else { continue }
      let message = TestMessage(series: series, number: number, size: 16)
      _ = recorder.arrived(
        message, from: sender, to: receiver, in: "main", time + .milliseconds(10))
    }
  }

  /// A peer invites another one.
  func invite(
    _ inviter: String, _ guest: String, at start: Double, _ outcome: String?, by end: Double = 0
  ) -> InvitationLog.Key {
    recorder.invitations { log in
      let key = log.begin(inviter, guest, in: "main", at: .seconds(start))
      if let outcome {
        log.end(key, InvitationRecord.Outcome(time: .seconds(end), text: outcome))
      }
      return key
    }
  }

  /// The guest answers an invitation.
  func answer(
    _ key: InvitationLog.Key, _ call: Call.Kind, at start: Double, _ result: String?
  ) {
    recorder.invitations { log in
      let answer = log.answer(key, call, at: .seconds(start))
      guard let result else { return }
      log.end(answer, to: key, InvitationRecord.Outcome(time: .seconds(start), text: result))
    }
  }
}
