/// A run as lanes of characters, one a peer, for a terminal.
package struct TextLanes {
  private let states: PeerStates
  private let faults: [FaultSpan]
  private let duration: Duration
  private let width: Int

  /// Lanes of a run.
  ///
  /// - Parameters:
  ///   - verdict: What came out of it.
  ///   - stops: When which host stopped, or went on.
  ///   - columns: How wide the lanes and their labels may be; at least 40.
  package init(_ verdict: Verdict, _ stops: [HostStop], columns: Int) {
    states = PeerStates(verdict, stops)
    faults = FaultSpan.all(verdict)
    (duration, width) = (max(.milliseconds(1), verdict.virtualDuration), max(40, columns))
  }

  /// A ruler, the lanes, when faults went on, what the characters mean, and the faults in words; without line ends.
  ///
  /// - Parameter paint: The colours.
  /// - Returns: The lines, none wider than the columns, but for the colours.
  package func lines(_ paint: Paint = Paint(isOn: false)) -> [String] {
    let lanes = Dictionary(grouping: states.spans, by: \.peer)
    let names = states.spans.reduce(into: [String]()) { names, span in
      if names.last != span.peer { names.append(span.peer) }
    }
    let rows = names.map { label($0) + lane(lanes[$0] ?? [], paint) }
    return [label("") + ruler] + rows + faultLane(paint) + [legend] + faultLines
  }

  // MARK: Rows

  private var labelWidth: Int {
    let longest = states.spans.map(\.peer.count).max() ?? 0
    return min(max(longest, "faults".count), width / 4)
  }

  private var cells: Int { width - labelWidth - 1 }

  private func label(_ text: String) -> String { fit(text, labelWidth) + " " }

  private func fit(_ text: String, _ width: Int) -> String {
    let text = text.count > width ? text.prefix(width - 1) + "…" : text[...]
    return text + String(repeating: " ", count: width - text.count)
  }

  private var ruler: String {
    var row = ""
    let step = cells / max(1, min(5, cells / 14))
    for start in stride(from: 0, to: cells, by: step) where cells - start >= 9 {
      row += String(repeating: " ", count: max(0, start - row.count))
      row += "|" + (duration * start / cells).shortText
    }
    return row
  }

  /// Of what a peer is within the time of one character, the most notable is shown.
  private func lane(_ spans: [PeerStateSpan], _ paint: Paint) -> String {
    var row = [PeerState](repeating: .waiting, count: cells)
    for span in spans {
      for cell in cells(span.start, span.end) where span.state.rank >= row[cell].rank {
        row[cell] = span.state
      }
    }
    var (text, rest) = ("", row[...])
    while let state = rest.first {
      let run = rest.prefix { $0 == state }
      text += state.painted(String(repeating: state.character, count: run.count), paint)
      rest = rest.dropFirst(run.count)
    }
    return text
  }

  private func cells(_ start: Duration, _ end: Duration) -> Range<Int> {
    let first = min(cells - 1, Int(start * cells / duration))
    let last = Int((end * cells / duration).rounded(.up))
    return first..<max(first + 1, min(cells, last))
  }

  // MARK: Faults

  private func faultLane(_ paint: Paint) -> [String] {
    guard !faults.isEmpty else { return [] }
    var counts = [Int](repeating: 0, count: cells)
    for fault in faults { for cell in cells(fault.start, fault.end) { counts[cell] += 1 } }
    let row = counts.map { $0 == 0 ? " " : $0 > 9 ? "+" : String($0) }.joined()
    return [label("faults") + paint.yellow(row)]
  }

  private var faultLines: [String] {
    let lines = faults.prefix(Self.faultsMax).map { fault in
      let length = (fault.end - fault.start).shortText
      let words = "at \(fault.start.shortText) for \(length): \(fault.phrase.escapedForTerminals)"
      return words.count > width ? words.prefix(width - 1) + "…" : words
    }
    let left = faults.count - lines.count
    return lines + (left > 0 ? ["and \(left) more faults"] : [])
  }

  private var legend: String {
    let seen = Set(states.spans.map(\.state))
    let words = PeerState.allCases.filter { seen.contains($0) && $0 != .waiting }
      .map { "\($0.character) \($0.rawValue)" }
    let text = words.joined(separator: "  ")
    return String(text.prefix(width))
  }

  private static let faultsMax = 8
}

extension PeerState {
  /// What stands for the state in a lane.
  fileprivate var character: Character {
    switch self {
    case .waiting: " "
    case .discovering: "."
    case .connecting: "~"
    case .connected: "="
    case .interrupted: "!"
    case .suspended: "z"
    case .frozen: "#"
    case .crashed: "X"
    case .stopped: "_"
    case .running: "-"
    }
  }

  /// How notable it is beside others.
  fileprivate var rank: Int {
    switch self {
    case .waiting: 0
    case .discovering, .stopped, .running: 1
    case .connected: 2
    case .connecting: 3
    case .interrupted: 4
    case .frozen, .suspended: 5
    case .crashed: 6
    }
  }

  fileprivate func painted(_ text: String, _ paint: Paint) -> String {
    switch self {
    case .connected: paint.green(text)
    case .connecting, .interrupted: paint.yellow(text)
    case .crashed: paint.red(text)
    case .waiting, .discovering, .suspended, .frozen, .stopped, .running: paint.dim(text)
    }
  }
}
