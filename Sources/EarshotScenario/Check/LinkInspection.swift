package import Earshot
import EarshotSimulator

/// What one peer knows of the connection that carries its membership with another one.
package struct CarrierEnd {
  let observer: String
  let subject: String
  let session: String
  let carrier: Session.Carrier

  package init(
    of observer: String, to subject: String, in session: String, _ carrier: Session.Carrier
  ) {
    (self.observer, self.subject) = (observer, subject)
    (self.session, self.carrier) = (session, carrier)
  }
}

/// Whether two members of a session have one link: that which one of them sends over is that which the other one does.
///
/// They may differ while a link breaks or is replaced, but not for long once nothing stands between the two.
package struct LinkInspection {
  private struct Pair: Hashable {
    let left: String
    let right: String
    let session: String
  }
  /// Since when the two ends of a pair have sent over different links.
  private var beginnings: [Pair: Duration] = [:]

  package init() {}

  /// Takes in which connections there are at a time.
  ///
  /// - Parameters:
  ///   - ends: The connections.
  ///   - time: The time.
  ///   - isQuiet: Whether nothing stands between two peers in a range.
  ///   - limit: How long two peers may take to agree.
  /// - Returns: What is wrong about them, or `nil`.
  package mutating func complaint(
    about ends: [CarrierEnd], at time: Duration,
    whereQuiet isQuiet: (String, String, ClosedRange<Duration>) -> Bool,
    limit: (String, String) -> Duration
  ) -> Complaint? {
    var seen: [Pair: Session.Carrier] = [:]
    for end in ends {
      seen[Pair(left: end.observer, right: end.subject, session: end.session)] = end.carrier
    }
    var differing: [Pair: Duration] = [:]
    var complaint: Complaint?
    for end in ends where end.observer < end.subject {
      let pair = Pair(left: end.observer, right: end.subject, session: end.session)
      let reversed = Pair(left: end.subject, right: end.observer, session: end.session)
      guard let other = seen[reversed], !end.carrier.isOtherEnd(of: other) else { continue }
      let start = beginnings[pair] ?? time
      guard isQuiet(pair.left, pair.right, start...time) else {
        differing[pair] = time
        continue
      }
      differing[pair] = start
      guard time - start > limit(pair.left, pair.right), complaint == nil else { continue }
      complaint = Complaint(
        "since \(Quantity.moment(start)) \(pair.left) and \(pair.right) send over two links: "
          + "\(end.carrier.local)–\(end.carrier.remote) and \(other.local)–\(other.remote)",
        at: start, about: [pair.left, pair.right], isEvent: true)
    }
    beginnings = differing
    return complaint
  }
}
