import EarshotCore

/// What has to hold in every run, whatever the scenario says.
package struct Invariants {
  private let record: Recorder.Record
  /// The end of the run, and who was awake then.
  private let end: Duration
  private let awake: [String]
  /// When something last happened to the network or to a host.
  private let lastDisturbance: Duration

  /// The invariants of one run.
  package init(
    record: Recorder.Record, end: Duration, awake: [String], lastDisturbance: Duration
  ) {
    (self.record, self.end, self.awake) = (record, end, awake)
    self.lastDisturbance = lastDisturbance
  }

  /// What came of each of them.
  package var results: [Verdict.Result] {
    [
      result("messages arrive in order, once and unharmed", breaches(.messages)),
      result("no program fails", breaches(.programs)),
      result("every invitation ends once", unended(record.openInvitations, of: record.invitations)),
      result("every send returns", unended(record.openSends, of: record.sends)),
      result("both ends agree about a membership", disagreements),
    ]
  }

  private func result(_ name: String, _ faults: [String]) -> Verdict.Result {
    guard let first = faults.first else {
      return Verdict.Result(name, held: true, observed: "always", isInvariant: true)
    }
    let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
    return Verdict.Result(name, held: false, observed: first + more, isInvariant: true)
  }

  private func breaches(_ law: Recorder.Breach.Law) -> [String] {
    record.breaches.filter { $0.law == law }.map(\.text)
  }

  private func unended(_ open: Int, of all: Int) -> [String] {
    open == 0 ? [] : ["\(open) of \(all) had not ended when the world had"]
  }

  /// Peers that have had a member with a link that is up for long, of which that member knows nothing.
  private var disagreements: [String] {
    guard lastDisturbance + Self.calm <= end else { return [] }
    let history = MembershipHistory(record.timeline)
    let (then, now) = (history.state(at: end - Self.calm), history.state(at: end))
    let isLast = { (name: String, identity: Int) in
      record.identities[name].map { identity == $0 - 1 } ?? false
    }
    var found: [String] = []
    for observer in awake {
      for subject in awake where subject != observer {
        let steady = then.linked(subject, of: observer).intersection(
          now.linked(subject, of: observer))
        let isMutual = [then, now].contains { !$0.joined(observer, of: subject).isEmpty }
        if steady.contains(where: { isLast(subject, $0) }) && !isMutual {
          found.append("\(observer) has \(subject) as a member, but \(subject) not \(observer)")
        }
      }
    }
    return found
  }

  /// How long nothing may have happened before both ends have to agree: three times the silence after which
  /// a link counts as broken.
  private static let calm: Duration = .seconds(15)
}
