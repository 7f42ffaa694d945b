import Earshot
package import EarshotSimulator

/// All files that peers of a run have sent to each other, and what both sides were told of them.
///
/// The bytes of each follow from a number, so that what lies in the folder of a receiver is known.
package struct FileLog: Sendable {
  /// One file, from one peer to another.
  package struct Transfer: Sendable {
    package let name: String
    package let direction: Direction
    /// The session of the sender.
    package let session: String
    /// How many bytes it has.
    package let bytes: Int
    /// When it was modified, which tells it from others of its name, in nanoseconds.
    package let modified: Int64
    /// The number of its content.
    package let content: UInt64
    package let offered: Duration
    /// When its receiver has accepted it.
    package fileprivate(set) var accepted: Duration?
    /// Whether the offer has reached the receiver's program.
    package fileprivate(set) var hasArrived = false
    /// Whether the receiver's program has declined it, or let go of the offer.
    package fileprivate(set) var isDeclined = false
    /// Whether the file could not be offered.
    package fileprivate(set) var isRefused = false
    /// The name of the file in the receiver's folder.
    package fileprivate(set) var place: String?
    /// Whether the receiver's disk was emptied later.
    fileprivate var isErased = false
    package fileprivate(set) var sender = State()
    package fileprivate(set) var receiver = State()

    fileprivate subscript(side: Verdict.File.Side) -> State {
      get { side == .sender ? sender : receiver }
      set { if side == .sender { sender = newValue } else { receiver = newValue } }
    }

    /// The peer on a side, and the other one.
    fileprivate func ends(_ side: Verdict.File.Side) -> (own: String, other: String) {
      side == .sender ? (direction.from, direction.to) : (direction.to, direction.from)
    }

    /// Whether a file is this one, as far as its bytes are known.
    fileprivate func isSame(as entry: Entry) -> Bool {
      entry.byteCount == bytes
        && entry.bytes.map { FileBytes(content: content).isWhole($0, count: bytes) } ?? true
    }

    /// Whether a file of a folder may have its name, among so many files.
    fileprivate func mayBeCalled(_ name: String, among count: Int) -> Bool {
      let fileName = FileName(of: self.name)
      return (1...max(1, count)).contains { fileName.numbered($0) == name }
    }
  }

  /// What one side was told of a transfer.
  package struct State: Sendable {
    /// How many bytes are written.
    package fileprivate(set) var completed = 0
    /// How many were written at which times, the earliest first.
    package fileprivate(set) var steps: [StreamLog.Read] = []
    package fileprivate(set) var pauses: [Verdict.File.Pause] = []
    package fileprivate(set) var end: End?
    /// Whether its program has cancelled or paused it.
    fileprivate var (isCancelled, isPaused) = (false, false)
    /// Whether its progress has ended.
    fileprivate var isOver = false

    /// Why it stands still at present.
    package var cause: Verdict.File.Pause.Cause? {
      pauses.last.flatMap { $0.end == nil ? $0.cause : nil }
    }
  }

  /// How a transfer ended for one side, and when.
  package struct End: Hashable, Sendable {
    package let time: Duration
    package let ending: Verdict.File.Ending
    /// The digest of the file, if it is complete.
    package let digest: [UInt8]
  }

  /// What a side is told of a transfer that goes on.
  package struct Report: Hashable, Sendable {
    package let completed: Int64
    package let total: Int64?
    package let cause: Verdict.File.Pause.Cause?
    package let isEnded: Bool

    package init(
      _ completed: Int64, of total: Int64?, cause: Verdict.File.Pause.Cause? = nil,
      isEnded: Bool = false
    ) {
      (self.completed, self.total) = (completed, total)
      (self.cause, self.isEnded) = (cause, isEnded)
    }
  }

  /// A file in the folder of a receiver.
  package struct Entry: Hashable, Sendable {
    package let name: String
    package let byteCount: Int
    /// Its bytes; `nil` when they were not looked at.
    package let bytes: [UInt8]?

    package init(_ name: String, byteCount: Int, bytes: [UInt8]? = nil) {
      (self.name, self.byteCount, self.bytes) = (name, byteCount, bytes)
    }

    /// Whether it is one that has not got its name yet.
    var isTemporary: Bool { name.hasPrefix(".") }
  }

  package private(set) var transfers: [Transfer] = []
  /// The peers that have lost their memory.
  private var crashed: Set<String> = []
  /// What lay in the folders at the end that must not, or did not that must.
  package private(set) var misplaced: [Complaint] = []
  /// What was left there of transfers that have ended.
  package private(set) var leftovers: [Complaint] = []

  package init() {}

  // MARK: Offers

  /// A file is offered.
  ///
  /// - Parameters:
  ///   - name: The name that the scenario gives it.
  ///   - direction: From its sender.
  ///   - session: The session of the sender.
  ///   - bytes: How many it has.
  ///   - content: The number of its content.
  ///   - modified: When it was modified, in nanoseconds.
  ///   - time: The time.
  /// - Returns: The number of the transfer.
  package mutating func offer(
    _ name: String, _ direction: Direction, in session: String, bytes: Int, content: UInt64,
    modified: Int64 = 0, at time: Duration
  ) -> Int {
    transfers.append(
      Transfer(
        name: name, direction: direction, session: session, bytes: bytes, modified: modified,
        content: content, offered: time))
    return transfers.count - 1
  }

  /// The file of a transfer could not be offered: nothing of it has ever been.
  package mutating func refuse(_ number: Int) { transfers[number].isRefused = true }

  /// A program gets an offer.
  ///
  /// - Parameters:
  ///   - name: The label.
  ///   - from: The sender.
  ///   - to: The receiver.
  ///   - bytes: How many it has.
  ///   - modified: When it was modified, in nanoseconds, within some microseconds.
  /// - Returns: The number of the transfer, or what is wrong about it.
  package mutating func arrive(
    _ name: String, from: String, to: String, bytes: Int64?, modified: Int64 = 0
  ) -> (number: Int?, mistake: String?) {
    let number = transfers.lastIndex { transfer in
      transfer.name == name && transfer.direction == Direction(from, to)
        && abs(transfer.modified - modified) < Self.precision
    }
    guard let number else {
      return (nil, "\(to) received an offer of \(name) from \(from) that was never made")
    }
    guard !transfers[number].hasArrived else {
      return (nil, "\(to) received the offer of \(name) from \(from) twice")
    }
    transfers[number].hasArrived = true
    guard bytes == Int64(transfers[number].bytes) else {
      let said = bytes.map { "\($0)" } ?? "an unknown number of"
      return (
        number,
        "\(to) is offered \(said) bytes of \(name) from \(from), which has "
          + "\(transfers[number].bytes)"
      )
    }
    return (number, nil)
  }

  /// The receiver's program is about to decline an offer, or to let go of it.
  package mutating func decline(_ number: Int) { transfers[number].isDeclined = true }

  /// An offer is accepted.
  package mutating func accept(_ number: Int, at time: Duration) {
    transfers[number].accepted = time
  }

  /// The program of a side is about to cancel a transfer.
  package mutating func cancel(_ number: Int, _ side: Verdict.File.Side) {
    transfers[number][side].isCancelled = true
  }

  /// The program of a side is about to pause a transfer.
  package mutating func pause(_ number: Int, _ side: Verdict.File.Side) {
    transfers[number][side].isPaused = true
  }

  // MARK: Progress

  /// A side is told how far a transfer is.
  ///
  /// - Returns: What is wrong about that, or `nil`.
  package mutating func progress(
    _ number: Int, _ side: Verdict.File.Side, _ report: Report, at time: Duration
  ) -> String? {
    let (before, transfer) = (transfers[number][side], transfers[number])
    transfers[number][side].take(report, side, at: time)
    let (own, other) = transfer.ends(side)
    let what = "of the transfer of \(transfer.name) with \(other)"
    let isOverfull = report.completed > Int64(transfer.bytes)
    if before.isOver { return "\(own) is told more \(what) after its end" }
    if report.completed < Int64(before.completed) {
      return "\(own) is told \(report.completed) bytes \(what) after \(before.completed)"
    }
    guard !isOverfull, report.total == Int64(transfer.bytes) else {
      return "\(own) is told \(report.completed) of \(report.total.map { "\($0)" } ?? "unknown") "
        + "bytes \(what), which has \(transfer.bytes)"
    }
    let isPausedHere = side == .sender ? transfer.sender.isPaused : transfer.receiver.isPaused
    let isPausedThere = side == .sender ? transfer.receiver.isPaused : transfer.sender.isPaused
    if report.cause == .paused && !isPausedHere
      || report.cause == .pausedByRemote && !isPausedThere
    {
      return "\(own) is told a pause \(what) that no program has asked for"
    }
    return nil
  }

  /// A transfer has ended for one side.
  ///
  /// - Returns: What is wrong about that, or `nil`.
  package mutating func end(
    _ number: Int, _ side: Verdict.File.Side, _ ending: Verdict.File.Ending,
    digest: [UInt8] = [], at time: Duration
  ) -> String? {
    let transfer = transfers[number]
    let (own, other) = transfer.ends(side)
    let what = "the transfer of \(transfer.name)"
    guard transfer[side].end == nil else { return "\(what) with \(other) ended twice for \(own)" }
    transfers[number][side].finish(End(time: time, ending: ending, digest: digest))
    let there = side == .sender ? transfer.receiver : transfer.sender
    switch ending {
    case .cancelled where !transfer[side].isCancelled,
      .resourceCancelled where !there.isCancelled:
      return "\(own) was told that \(what) with \(other) was cancelled, and nobody did"
    case .resourceDeclined where !transfer.isDeclined:
      return "\(own) was told that \(other) declined \(transfer.name), and nobody did"
    case .complete where there.end?.ending == .complete && there.end?.digest != digest:
      return "\(own) and \(other) have different digests of \(transfer.name)"
    default: return nil
    }
  }

  /// A file has got its name.
  ///
  /// - Parameters:
  ///   - number: The number of the transfer.
  ///   - folder: The folder that the file is said to be in.
  ///   - name: The name that it is said to have.
  ///   - bytes: What lies there; `nil` for no file.
  /// - Returns: What is wrong about that, or `nil`.
  package mutating func place(
    _ number: Int, in folder: String, as name: String, _ bytes: [UInt8]?
  ) -> String? {
    let transfer = transfers[number]
    let (receiver, sender) = transfer.ends(.receiver)
    transfers[number].place = name
    let others = transfers.indices.filter { index in
      index != number && transfers[index].direction.to == receiver
    }
    let isTaken = others.contains { transfers[$0].place == name && !transfers[$0].isErased }
    guard folder == Self.folder, !isTaken, transfer.mayBeCalled(name, among: others.count + 1)
    else {
      return "\(receiver) is told that \(transfer.name) from \(sender) is \(folder)/\(name)"
    }
    guard let bytes else { return "\(receiver) has no file \(name), which is complete" }
    guard FileBytes(content: transfer.content).isWhole(bytes, count: transfer.bytes) else {
      return "\(receiver) has other bytes in \(name) than \(sender) sent"
    }
    return nil
  }

  // MARK: Folders

  /// What is wrong about a receiver's folder: a file that is neither temporary nor one that was
  /// sent, whole.
  package func complaint(about entries: [Entry], of receiver: String) -> String? {
    let mine = transfers.filter { $0.direction.to == receiver && !$0.isRefused }
    let stranger = entries.first { entry in
      !entry.isTemporary
        && !mine.contains { $0.mayBeCalled(entry.name, among: mine.count) && $0.isSame(as: entry) }
    }
    return stranger.map { entry in
      "\(receiver) has a file \(entry.name) of \(entry.byteCount) bytes, which is not whole"
    }
  }

  /// Takes in what lies in a receiver's folder when all programs have ended.
  package mutating func close(_ entries: [Entry], of receiver: String) {
    if let complaint = complaint(about: entries, of: receiver) {
      misplaced.append(Complaint(complaint, about: [receiver]))
    }
    for transfer in transfers where transfer.direction.to == receiver && transfer.isPlaced {
      let isFound = entries.contains { entry in
        (transfer.place.map { $0 == entry.name } ?? true) && transfer.isSame(as: entry)
      }
      if !isFound {
        let sender = transfer.direction.from
        misplaced.append(
          Complaint(
            "\(receiver) has no file \(transfer.name) any more, which \(sender) sent",
            about: [receiver, sender]))
      }
    }
    guard !crashed.contains(receiver) else { return }
    leftovers += entries.filter(\.isTemporary).map {
      Complaint("\(receiver) has \($0.name) left", about: [receiver])
    }
  }

  /// The program of a peer has lost its memory.
  package mutating func crash(_ name: String, at time: Duration) {
    crashed.insert(name)
    let end = End(time: time, ending: .crashed, digest: [])
    for number in transfers.indices {
      let transfer = transfers[number]
      if transfer.direction.from == name, transfer.sender.end == nil {
        transfers[number].sender.finish(end)
      }
      if transfer.direction.to == name, transfer.receiver.end == nil, transfer.accepted != nil {
        transfers[number].receiver.finish(end)
      }
    }
  }

  /// The disk of a peer was emptied.
  package mutating func erase(_ name: String) {
    for number in transfers.indices where transfers[number].direction.to == name {
      transfers[number].isErased = true
    }
  }

  /// The files, as reports have them.
  package var files: [Verdict.File] {
    transfers.filter { !$0.isRefused }.map(Verdict.File.init)
  }

  /// The folder of what programs receive, and of what they send.
  static let folder = "/inbox"
  static let outbox = "/outbox"
  /// What is lost of a time on its way, in nanoseconds.
  private static let precision: Int64 = 2_000
}

extension FileLog.State {
  fileprivate mutating func take(
    _ report: FileLog.Report, _ side: Verdict.File.Side, at time: Duration
  ) {
    isOver = report.isEnded
    let count = Int(clamping: report.completed)
    if count > completed {
      completed = count
      if steps.last?.time == time { steps.removeLast() }
      steps.append(StreamLog.Read(time: time, position: count))
    }
    guard end == nil, report.cause != cause else { return }
    closePause(at: time)
    if let cause = report.cause {
      pauses.append(Verdict.File.Pause(side, cause, from: time))
    }
  }

  fileprivate mutating func finish(_ end: FileLog.End) {
    self.end = end
    closePause(at: end.time)
  }

  private mutating func closePause(at time: Duration) {
    if cause != nil { pauses[pauses.count - 1].end = time }
  }
}

extension FileLog.Transfer {
  /// Whether its file has to be in the receiver's folder.
  fileprivate var isPlaced: Bool {
    !isErased && (place != nil || sender.end?.ending == .complete)
  }
}
