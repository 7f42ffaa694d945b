package import Earshot
import EarshotScenario

/// A file that a chat sends or receives.
package struct ChatTransfer: Hashable, Sendable {
  /// The number by which a person calls it.
  package typealias Number = Int
  /// How it ended.
  package enum Ending: Hashable, Sendable {
    /// The file is in its place; the path is the receiver's own, safe to print.
    case done(path: String?)
    /// The sentence says why.
    case failed(String)
  }
  let number: Number
  /// The name of the file, safe to print.
  let file: String
  /// The member at the other end.
  let peer: PeerID
  /// Whether this side sends.
  let isSending: Bool

  /// A transfer by its number.
  package init(_ number: Number, of file: String, with peer: PeerID, isSending: Bool) {
    (self.number, self.file, self.peer, self.isSending) = (number, file, peer, isSending)
  }
}

/// The files of a chat.
extension ChatMachine {
  // MARK: Typed

  func sendFile(_ path: String, into out: inout [Action]) {
    guard !path.isEmpty else {
      return out.append(.print("Give a file, such as /send photo.jpg."))
    }
    guard !members.isEmpty else {
      return out.append(.print("No member is in this chat; /invite asks peers."))
    }
    out.append(.sendFile(path: path, to: members.map(\.id)))
  }

  func showFiles(into out: inout [Action]) {
    guard !transfers.isEmpty else { return out.append(.print("No file is under way.")) }
    for (number, line) in transfers.lines { out.append(.print("  \(number)  \(line)")) }
  }

  func cancelFile(_ word: String, into out: inout [Action]) {
    let numbers = transfers.lines.map(\.number)
    let only = word.isEmpty && numbers.count == 1 ? numbers.first : nil
    guard let number = only ?? Int(word), numbers.contains(number) else {
      return out.append(
        .print(
          numbers.isEmpty
            ? "No file is under way." : "Give a number of /files, such as /cancel \(numbers[0])."))
    }
    out.append(.cancelTransfer(number))
  }

  // MARK: Reported

  mutating func begin(
    _ transfer: ChatTransfer, _ progress: ResourceProgress, into out: inout [Action]
  ) {
    let peer = label(of: transfer.peer)
    transfers.add(
      transfer.number, transfer.file, with: TransferEnd(peer, isReceiver: transfer.isSending),
      progress)
    let size = progress.totalBytes.map { " (\(Int($0).sizeText))" } ?? ""
    note(
      transfer.isSending
        ? "Offering \(transfer.file)\(size) to \(peer)"
        : "Receiving \(transfer.file)\(size) from \(peer)", into: &out)
  }

  mutating func move(
    _ number: ChatTransfer.Number, _ progress: ResourceProgress, into out: inout [Action]
  ) {
    guard let (file, end, former) = transfers[number] else { return }
    transfers.update(number, progress)
    guard former.standstill != progress.standstill else { return }
    switch progress.standstill {
    case .diskFull, .pausedByRemote:
      note("\(file): \(progress.standstill?.words(end) ?? "")", into: &out)
    case .linkInterrupted, .unanswered, .paused, nil: break
    }
  }

  mutating func end(
    _ number: ChatTransfer.Number, _ ending: ChatTransfer.Ending, into out: inout [Action]
  ) {
    guard let (file, end, _) = transfers[number] else { return }
    transfers.remove(number)
    switch ending {
    case .done(let path?): out.append(.print(paint.green("\(path) is here, from \(end.name)")))
    case .done(nil): out.append(.print(paint.green("\(end.name) has \(file)")))
    case .failed(let sentence): out.append(.print(paint.red(sentence)))
    }
  }
}
