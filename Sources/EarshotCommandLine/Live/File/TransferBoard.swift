package import Earshot

/// The other end of a transfer.
package struct TransferEnd: Hashable, Sendable {
  /// The name of the peer, safe to print.
  package let name: String
  /// Whether it is the receiver.
  package let isReceiver: Bool

  /// The other end of a transfer.
  package init(_ name: String, isReceiver: Bool) {
    (self.name, self.isReceiver) = (name, isReceiver)
  }
}

/// The transfers under way, and the line that shows how far they are.
package struct TransferBoard: Hashable, Sendable {
  private struct Row: Hashable {
    let number: Int
    /// The name of the file, safe to print.
    let name: String
    /// The other end.
    let end: TransferEnd
    var progress: ResourceProgress
  }
  private var rows: [Row] = []

  /// A board without transfers.
  package init() {}

  /// Whether nothing is under way.
  package var isEmpty: Bool { rows.isEmpty }

  /// Adds a transfer.
  ///
  /// - Parameters:
  ///   - number: The number that tells it from others.
  ///   - name: The name of the file, safe to print.
  ///   - end: The other end.
  ///   - progress: Its present state.
  package mutating func add(
    _ number: Int, _ name: String, with end: TransferEnd, _ progress: ResourceProgress
  ) {
    rows.append(Row(number: number, name: name, end: end, progress: progress))
  }

  /// Learns how far a transfer is.
  package mutating func update(_ number: Int, _ progress: ResourceProgress) {
    guard let index = rows.firstIndex(where: { $0.number == number }) else { return }
    rows[index].progress = progress
  }

  /// Removes a transfer.
  package mutating func remove(_ number: Int) { rows.removeAll { $0.number == number } }

  /// The name of a file, the other end, and how far it is.
  subscript(number: Int) -> (file: String, end: TransferEnd, progress: ResourceProgress)? {
    rows.first { $0.number == number }.map { ($0.name, $0.end, $0.progress) }
  }

  /// A line for each transfer, in the order of their beginning.
  package var lines: [(number: Int, text: String)] {
    rows.map { row in
      let way = row.end.isReceiver ? "to" : "from"
      let percent = row.progress.fraction.map { " \(Int($0 * 100)) %," } ?? ""
      return (row.number, "\(row.name) \(way) \(row.end.name),\(percent) \(Self.figures(of: row))")
    }
  }

  // MARK: The line

  /// The line, in at most so many columns; empty if nothing is under way.
  package func line(columns: Int) -> String {
    guard let first = rows.first else { return "" }
    let figures = rows.count == 1 ? Self.figures(of: first) : sums
    let name = rows.count == 1 ? first.name : "\(rows.count) files"
    let fraction = rows.count == 1 ? first.progress.fraction : fraction
    let nameMax = max(Self.nameColumnsMin, columns - figures.columns - Self.barColumnsMin - 11)
    let head = name.truncated(toColumns: nameMax)
    guard let fraction else { return "\(head)  \(figures)".truncated(toColumns: columns) }
    let percent = Int(fraction * 100)
    let room = columns - head.columns - figures.columns - 11
    let bar =
      room < Self.barColumnsMin ? "" : "[\(Self.bar(fraction, min(room, Self.barColumnsMax)))] "
    let padding = String(repeating: " ", count: percent < 10 ? 2 : percent < 100 ? 1 : 0)
    return "\(head) \(padding)\(percent) % \(bar)\(figures)".truncated(toColumns: columns)
  }

  private static func bar(_ fraction: Double, _ columns: Int) -> String {
    let done = Int(fraction * Double(columns))
    return String(repeating: "#", count: done) + String(repeating: "-", count: columns - done)
  }

  private static func figures(of row: Row) -> String {
    let progress = row.progress
    return "\(progress.amount), \(progress.standstill?.words(row.end) ?? progress.pace)"
  }

  private var fraction: Double? {
    let totals = rows.compactMap(\.progress.totalBytes)
    guard totals.count == rows.count else { return nil }
    let (done, all) = (rows.reduce(0) { $0 + $1.progress.completedBytes }, totals.reduce(0, +))
    return all > 0 ? Double(done) / Double(all) : 1
  }

  private var sums: String {
    let done = rows.reduce(0) { $0 + $1.progress.completedBytes }
    let rate = rows.reduce(0) { $0 + $1.progress.bytesPerSecond }
    return "\(Int(done).sizeText), \(Int(rate).sizeText)/s"
  }

  private static let nameColumnsMin = 12
  private static let barColumnsMin = 10
  private static let barColumnsMax = 20
}

extension ResourceProgress {
  /// How much is done: `5.2 MiB of 10.0 MiB`.
  package var amount: String {
    let done = Int(completedBytes).sizeText
    return totalBytes.map { "\(done) of \(Int($0).sizeText)" } ?? done
  }

  /// How fast it is: `3.1 MiB/s, 2 s left`.
  package var pace: String {
    let rate = "\(Int(bytesPerSecond).sizeText)/s"
    return timeLeft.map { "\(rate), \($0.roughText) left" } ?? rate
  }
}

extension ResourceProgress.Standstill {
  /// The reason why nothing moves.
  package func words(_ end: TransferEnd) -> String {
    switch self {
    case .linkInterrupted: "waiting for \(end.name): out of reach"
    case .unanswered: "waiting for \(end.name) to accept"
    case .diskFull: end.isReceiver ? "the disk of \(end.name) is full" : "the disk is full"
    case .paused: "paused"
    case .pausedByRemote: "paused by \(end.name)"
    }
  }

  /// The name of the reason, for programs.
  package var name: String {
    switch self {
    case .linkInterrupted: "linkInterrupted"
    case .unanswered: "unanswered"
    case .diskFull: "diskFull"
    case .paused: "paused"
    case .pausedByRemote: "pausedByRemote"
    }
  }
}

extension Duration {
  /// The two largest units, such as `2 s`, `3 min 20 s` or `2 h 5 min`; seconds are rounded up.
  package var roughText: String {
    let (whole, rest) = components
    let seconds = max(0, whole + (rest > 0 ? 1 : 0))
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
    if seconds < 86_400 { return "\(seconds / 3_600) h \(seconds / 60 % 60) min" }
    return "\(seconds / 86_400) d \(seconds / 3_600 % 24) h"
  }
}
