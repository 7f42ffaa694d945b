import EarshotSimulator

/// A public call of a program that has begun.
package struct Call: Hashable, Sendable {
  /// What is called.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case makePeer, rename, advertise, update, browse, makeSession, invite, accept, decline
    case send, openStream, write, read, waitForDelivery
    case sendResource, acceptResource, waitForResource
    case remove, disconnect, suspend, resume, stop
  }
  package let kind: Kind
  /// Whose program calls.
  package let caller: String
  /// The peer that the call is about, if it is about one peer.
  package let subject: String?
  package let start: Duration
  /// How long it may take, when nothing befalls either of them; `nil` for ever.
  package let limit: Duration?
  /// How long it may take when its subject sleeps meanwhile, if that is longer.
  package let limitInSleep: Duration

  package init(
    _ kind: Kind, by caller: String, about subject: String? = nil, at start: Duration,
    limit: Duration?, inSleep limitInSleep: Duration = .zero
  ) {
    (self.kind, self.caller, self.subject) = (kind, caller, subject)
    (self.start, self.limit, self.limitInSleep) = (start, limit, limitInSleep)
  }
}

/// The calls of a run that have not ended, and how many there were.
package struct CallLog: Sendable {
  package private(set) var open: [Int: Call] = [:]
  package private(set) var count = 0

  package init() {}

  /// A call begins.
  ///
  /// - Returns: Its number.
  package mutating func begin(_ call: Call) -> Int {
    count += 1
    open[count] = call
    return count
  }

  /// A call returns.
  ///
  /// - Returns: What is wrong about the time that it took, or `nil`.
  package mutating func end(
    _ number: Int, at time: Duration, _ disturbances: Disturbances
  ) -> Complaint? {
    open.removeValue(forKey: number).flatMap { Self.complaint($0, at: time, disturbances) }
  }

  /// What is wrong about the calls that go on at the end of a run.
  package func complaints(at time: Duration, _ disturbances: Disturbances) -> [Complaint] {
    open.sorted { $0.key < $1.key }.compactMap {
      Self.complaint($0.value, at: time, disturbances)
    }
  }

  /// A call may take longer by the time in which its caller was suspended, or was kept from its subject;
  /// one of a program that has lost its power means nothing any more.
  private static func complaint(
    _ call: Call, at time: Duration, _ disturbances: Disturbances
  ) -> Complaint? {
    guard let limit = call.limit, time - call.start > limit else { return nil }
    let range = call.start...time
    guard !disturbances.crash(call.caller, in: range) else { return nil }
    let excuse =
      call.subject.map { disturbances.time(touching: call.caller, $0, in: range) }
      ?? disturbances.suspension(of: call.caller, in: range)
    // What its subject sent before it slept arrives later.
    let recently = max(.zero, call.start - Evidence.calm)...time
    let hasSlept =
      call.subject.map { disturbances.suspension(of: $0, in: recently) > .zero } ?? false
    // A caller that slept has its time anew when it wakes.
    let wake = disturbances.lastWake(of: call.caller, in: range).map { $0 - call.start } ?? .zero
    let allowed = max(limit + max(excuse, wake), hasSlept ? call.limitInSleep : .zero)
    guard time - call.start > allowed else { return nil }
    let about = call.subject.map { " about \($0)" } ?? ""
    return Complaint(
      "\(call.caller) called \(call.kind)\(about) at \(Quantity.moment(call.start)), which takes "
        + "\(Quantity.moment(time - call.start)) and may take \(Quantity.moment(allowed))",
      at: call.start + allowed, about: [call.caller] + [call.subject].compactMap(\.self))
  }
}
