package import Earshot
import EarshotScenario

/// What `earshot browse` shows: a table that is kept up to date, or a line for each event.
package struct BrowseReport {
  private let console: Console
  private let isJSON: Bool
  private let service: String
  private var nearby = Nearby()
  private var problem: DiscoveryProblem?
  private var hint: String?
  private var warnings: [String] = []
  private var rowsShown = 0

  /// Begins without peers.
  package init(on console: Console, isJSON: Bool, service: String) {
    (self.console, self.isJSON, self.service) = (console, isJSON, service)
    if !isJSON, let size = console.terminal() { draw(size) }
  }

  /// Shows what happened.
  package mutating func handle(_ event: BrowserEvent) {
    nearby.handle(event)
    switch event {
    case .unavailable(let problem): self.problem = problem
    case .available: problem = nil
    case .found, .updated, .lost: break
    }
    if isJSON {
      console.line(Self.json(event))
    } else if let size = console.terminal() {
      draw(size)
    } else {
      console.line(Self.line(event))
    }
  }

  /// Draws the table anew, at the top: how a terminal has moved its rows about is not known.
  package mutating func terminalChanged() {
    guard !isJSON, let size = console.terminal() else { return }
    console.out("\u{1B}[H")
    rowsShown = 0
    draw(size)
  }

  /// Shows a hint: within the table until a peer is found, or on standard error where there is
  /// none.
  package mutating func hint(_ sentence: String) {
    guard !isJSON, let size = console.terminal() else {
      return console.complain("earshot: \(sentence)")
    }
    hint = sentence
    draw(size)
  }

  /// Shows a warning: above the table to the end, or on standard error without a table.
  package mutating func warn(_ sentence: String) {
    guard !isJSON, let size = console.terminal() else {
      return console.complain("earshot: \(sentence)")
    }
    warnings.append(sentence)
    warnings.removeFirst(max(0, warnings.count - Self.warningsMax))
    draw(size)
  }

  private static let warningsMax = 3

  // MARK: A table

  /// Draws the table over the one that is there.
  private mutating func draw(_ size: TerminalSize) {
    let warnings = warnings.flatMap {
      $0.wrapped(toColumns: size.columns).split(separator: "\n").map(String.init)
    }.prefix(max(0, size.rows - 4))
    let lines =
      warnings
      + lines(rowsMax: max(1, size.rows - 3 - warnings.count)).map {
        $0.truncated(toColumns: size.columns)
      }
    let up = rowsShown > 0 ? "\u{1B}[\(rowsShown)A" : ""
    console.out("\r\(up)\u{1B}[J" + lines.map { $0 + "\n" }.joined())
    rowsShown = lines.count
  }

  private func lines(rowsMax: Int) -> [String] {
    let peers = nearby.peers
    let trouble = problem.map { [$0.description] } ?? []
    guard !peers.isEmpty else {
      return trouble + ["Looking for peers of \"\(service)\"; Ctrl-C ends the search"]
        + (hint.map { [$0] } ?? [])
    }
    let rows = peers.enumerated().prefix(rowsMax).map { index, peer in
      ["\(index + 1)"] + Self.cells(of: peer)
    }
    let hidden = peers.count - rows.count
    let rest = hidden > 0 ? ["and \(hidden) more"] : []
    return trouble + Self.table([["#", "NAME", "ID", "ADDRESS", "INFO"]] + rows) + rest
  }

  private static func cells(of peer: DiscoveredPeer) -> [String] {
    [
      peer.name.escapedForTerminals, peer.id.short, peer.endpoints.first?.description ?? "",
      peer.info?.textInOrder ?? "",
    ]
  }

  private static func table(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].columns }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).dropLast().map { $0.padded(toColumns: $1) }
      return (cells + row.suffix(1)).joined(separator: "  ")
    }
  }

  // MARK: Lines

  private static func line(_ event: BrowserEvent) -> String {
    switch event {
    case .found(let peer), .updated(let peer):
      ([event.word] + cells(of: peer)).joined(separator: "\t")
    case .lost(let peer): "\(event.word)\t\(peer.name.escapedForTerminals)\t\(peer.id.short)"
    case .unavailable(let problem): "\(event.word)\t\(problem)"
    case .available: event.word
    }
  }

  private static func json(_ event: BrowserEvent) -> String {
    let head =
      [("event", event.word.quotedForJSON)]
      + (event.peer.map { [("id", $0.id.description.quotedForJSON)] } ?? [])
    switch event {
    case .found(let peer), .updated(let peer): return JSONText.object(head + members(of: peer))
    case .lost(let peer): return JSONText.object(head + [("name", peer.name.quotedForJSON)])
    case .unavailable(let problem):
      return JSONText.object(head + [("problem", problem.description.quotedForJSON)])
    case .available: return JSONText.object(head)
    }
  }

  private static func members(of peer: DiscoveredPeer) -> [(String, String)] {
    let info = peer.info.map { info in
      JSONText.object(info.sorted { $0.key < $1.key }.map { ($0.key, $0.value.quotedForJSON) })
    }
    return [
      ("name", peer.name.quotedForJSON), ("info", info ?? "null"),
      ("endpoints", JSONText.array(peer.endpoints.map { $0.description.quotedForJSON })),
    ]
  }
}

extension BrowserEvent {
  /// What happened, in a word.
  fileprivate var word: String {
    switch self {
    case .found: "found"
    case .updated: "updated"
    case .lost: "lost"
    case .unavailable: "unavailable"
    case .available: "available"
    }
  }
}
