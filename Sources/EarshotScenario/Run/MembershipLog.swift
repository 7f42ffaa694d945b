/// What programs sent to their members, by membership.
package struct MembershipLog: Sendable {
  /// What one end of a membership sent.
  package struct Ledger: Hashable, Sendable {
    package let key: LedgerKey
    package let start: Duration
    /// The receiver's session.
    package let otherSession: String
    /// When the membership ended for the sender, and how many messages it was told had not arrived.
    package var end: Duration?
    package var reason = ""
    /// Whether the sender has lost its memory of it.
    package var isForgotten = false
    package var undelivered = 0
    /// The first and the last message of each series; those in between belong to it too.
    package var ranges: [Int: ClosedRange<Int>] = [:]
  }
  /// The sender, the receiver, their session, and which of the sender's sessions of that name.
  package struct LedgerKey: Hashable, Sendable {
    package let sender: String
    package let receiver: String
    package let identity: Int
    package let session: String
    package let sessionNumber: Int

    package init(
      sender: String, receiver: String, identity: Int, session: String, sessionNumber: Int = 0
    ) {
      (self.sender, self.receiver) = (sender, receiver)
      (self.identity, self.session, self.sessionNumber) = (identity, session, sessionNumber)
    }
  }

  /// Every membership, in the order in which they began.
  package private(set) var all: [Ledger] = []
  private var open: [LedgerKey: Int] = [:]
  /// How often that has changed.
  private var changes = 0
  /// What was looked up for the last message of each series, which holds until there is a change: to hash a key takes long.
  private var last: [LookUp?] = []

  private struct LookUp {
    let key: LedgerKey
    let index: Int?
    let changes: Int
  }

  package init() {}

  /// Takes in what a peer was told.
  mutating func apply(_ entry: Timeline.Entry) {
    guard let sender = entry.observer else { return }
    if [.crashed, .joined, .left].contains(entry.kind) { changes += 1 }
    if entry.kind == .crashed { forget(sender) }
    guard let receiver = entry.subject else { return }
    let key = LedgerKey(
      sender: sender, receiver: receiver, identity: entry.identity, session: entry.session,
      sessionNumber: entry.sessionNumber)
    if entry.kind == .joined {
      open[key] = all.count
      all.append(Ledger(key: key, start: entry.time, otherSession: entry.otherSession))
    }
    if entry.kind == .left, let index = open.removeValue(forKey: key) {
      all[index].end = entry.time
      (all[index].reason, all[index].undelivered) = (entry.reason, entry.undelivered)
    }
  }

  /// A sender's memory is lost; what became of its messages stays unknown.
  private mutating func forget(_ sender: String) {
    for (key, index) in open where key.sender == sender {
      all[index].isForgotten = true
      open[key] = nil
    }
  }

  /// A message is about to be sent.
  mutating func send(_ number: Int, on series: Int, _ key: LedgerKey) {
    guard let index = index(of: key, for: series) else { return }
    let first = all[index].ranges[series]?.lowerBound ?? number
    all[index].ranges[series] = first...number
  }

  private mutating func index(of key: LedgerKey, for series: Int) -> Int? {
    while last.count <= series { last.append(nil) }
    if let last = last[series], last.changes == changes, last.key == key { return last.index }
    let index = open[key]
    last[series] = LookUp(key: key, index: index, changes: changes)
    return index
  }
}
