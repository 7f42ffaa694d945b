import Earshot
import EarshotScenario
import Synchronization

/// The choice of a peer from a list that grows as peers are found.
struct PeerChoice: Sendable {
  private let peer: Peer
  private let service: String
  private let console: Console

  /// A choice that has not begun.
  ///
  /// - Parameters:
  ///   - peer: The peer that looks for others.
  ///   - service: The kind of service to look for.
  ///   - console: Where the list is shown.
  init(as peer: Peer, for service: String, on console: Console) {
    (self.peer, self.service, self.console) = (peer, service, console)
  }

  /// Shows the peers, and waits until one of them is chosen.
  ///
  /// - Returns: The chosen peer; `nil` if the input has ended or the task was cancelled.
  func choose(hearing keyboard: Keyboard) async throws(EarshotError) -> FoundPeer? {
    let browser = try await peer.browse(service)
    let host = peer.host
    let list = PeerList()
    console.complain("Send to which peer? Type its number, or the beginning of its name:")
    keyboard.listen(on: console)
    let hint = SearchHint()
    let clock = hint.start(on: host) { console.complain($0) }
    defer { clock.cancel() }
    let chosen = await withTaskGroup { group in
      group.addTask { () -> FoundPeer? in
        for await line in keyboard.lines {
          if let found = select(line, in: list.peers) { return found }
        }
        return nil
      }
      group.addTask {
        for await event in browser.events {
          hint.note(event)
          list.handle(event)
          show(event, list.peers)
        }
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    await browser.stop()
    return chosen
  }

  private func show(_ event: BrowserEvent, _ peers: NumberedPeers) {
    switch event {
    case .found(let peer):
      let number = peers.number(of: peer.id) ?? 0
      console.complain("  \(number)  \(peer.name.escapedForTerminals) (\(peer.id.short))")
    case .lost(let peer):
      console.complain("  \(peer.name.escapedForTerminals) is no longer nearby")
    case .updated, .unavailable, .available: break  // The command itself reports why none is found.
    }
  }

  private func select(_ line: String, in peers: NumberedPeers) -> FoundPeer? {
    let word = line.trimmed
    guard !word.isEmpty else { return nil }
    switch peers.select(word) {
    case .peer(let peer): return FoundPeer(id: peer.id, name: peer.name)
    case .none: console.complain("No peer nearby matches \"\(word.escapedForTerminals)\"")
    case .several(let several):
      let numbers = peers.numbered.filter { entry in several.contains { $0.id == entry.peer.id } }
      console.complain(
        "Several peers match \"\(word.escapedForTerminals)\"; type a number: "
          + numbers.map { "\($0.number)" }.joined(separator: ", ")
      )
    }
    return nil
  }
}

/// The peers that the tasks of a choice share.
private final class PeerList: Sendable {
  private let state = Mutex(NumberedPeers())

  /// The peers at this time.
  var peers: NumberedPeers { state.withLock { $0 } }

  func handle(_ event: BrowserEvent) { state.withLock { $0.handle(event) } }
}
