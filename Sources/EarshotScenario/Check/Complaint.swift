import EarshotSimulator

/// Something that never must be and was seen, with its time and the peers that it is about.
package struct Complaint: Hashable, Sendable {
  /// What was seen, in words.
  package let text: String
  /// When; `nil` for the end of the run.
  package let time: Duration?
  /// The peers that it is about; none when it is about all.
  package let peers: [String]
  /// Whether something happened at that time, and not: nothing had happened by then.
  package let isEvent: Bool

  /// Something that happened, or did not happen, at a time.
  package init(
    _ text: String, at time: Duration? = nil, about peers: [String] = [], isEvent: Bool = false
  ) { (self.text, self.time, self.peers, self.isEvent) = (text, time, peers, isEvent) }
}

extension Verdict.Result {
  /// The result of what always has to hold.
  ///
  /// - Parameters:
  ///   - name: What has to hold.
  ///   - complaints: What was seen of the contrary.
  ///   - end: The end of the run.
  init(_ name: String, _ complaints: [Complaint], end: Duration) {
    let more = complaints.count > 1 ? " (and \(complaints.count - 1) more)" : ""
    self.init(
      name, held: complaints.isEmpty, observed: complaints.first.map { $0.text + more } ?? "always",
      isInvariant: true)
    focus = complaints.first.map { complaint in
      Verdict.Focus(
        .violation, at: complaint.time ?? end, isEvent: complaint.isEvent, peers: complaint.peers)
    }
  }
}
