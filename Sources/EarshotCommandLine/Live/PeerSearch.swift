import Earshot
import EarshotScenario
import Synchronization

/// A peer that a command line asks for, once it is known which one that is.
struct FoundPeer: Hashable, Sendable {
  let id: PeerID
  let name: String
  var ticket: PeerTicket?
}

/// The search for the peer that a command line asks for, and its invitation.
struct PeerSearch: Sendable {
  private let peer: Peer
  private let service: String
  private let timeout: Duration
  private let console: Console
  private let browsing = Browsing()

  /// The browser that has found the peer, until that is invited: an explanation of a failure needs
  /// what it knows.
  private final class Browsing: Sendable {
    private let browser = Mutex<Browser?>(nil)

    func begin(_ browser: Browser) { self.browser.withLock { $0 = browser } }
    func end() async { await browser.withLock { $0.take() }?.stop() }
  }

  /// A search that has not begun.
  ///
  /// - Parameters:
  ///   - peer: The peer that searches.
  ///   - service: The kind of service to look for.
  ///   - timeout: How long to look, and how long to wait for the answer to an invitation.
  ///   - console: The console for the reason of a failure.
  init(as peer: Peer, for service: String, within timeout: Duration, on console: Console) {
    (self.peer, self.service, self.timeout, self.console) = (peer, service, timeout, console)
  }

  /// Finds a peer.
  ///
  /// - Returns: The peer; `nil` if not exactly one was found, which the console reports.
  func find(_ target: PeerTarget) async throws(EarshotError) -> FoundPeer? {
    switch target {
    case .ticket(let ticket):
      return FoundPeer(id: ticket.peer, name: ticket.peer.short, ticket: ticket)
    case .nearby(let name):
      return try await look(for: name).map { FoundPeer(id: $0.id, name: $0.name) }
    }
  }

  private func look(for name: String) async throws(EarshotError) -> DiscoveredPeer? {
    let host = peer.host
    let browser = try await peer.browse(service)
    browsing.begin(browser)
    let notice = Task(executorPreference: host.executor.task) {
      guard console.isWatched, (try? await host.sleep(for: Self.silence)) != nil else { return }
      console.complain(
        "Looking for \"\(name.escapedForTerminals)\" of the service \"\(service)\"; Ctrl-C ends the search"
      )
    }
    defer { notice.cancel() }
    let search = Task(executorPreference: host.executor.task) {
      await peersNearby(for: name, by: browser)
    }
    let clock = Task(executorPreference: host.executor.task) {
      try? await host.sleep(for: timeout)
      search.cancel()
    }
    defer { clock.cancel() }
    let nearby = await withTaskCancellationHandler {
      await search.value
    } onCancel: {
      search.cancel()
    }
    switch nearby.select(name) {
    case .peer(let found): return found
    case .several(let found): return refuse(found, called: name)
    case .none: break
    }
    if !Task.isCancelled { await explainAbsence(of: name, among: nearby) }
    return nil
  }

  /// The peers of a browser, once one of them is meant by a name or the task is cancelled.
  private func peersNearby(for name: String, by browser: Browser) async -> Nearby {
    let host = peer.host
    // Before most peers have answered, numbers mean little, and a name may match two of them.
    try? await host.sleep(for: min(Self.settling, timeout))
    var nearby = Nearby(await browser.peers)
    var events = browser.events.makeAsyncIterator()
    while nearby.select(name) == .none, await events.next() != nil {
      nearby = Nearby(await browser.peers)
      guard nearby.select(name) != .none, nearby.selectExactly(name) == .none else { continue }
      // The peer with the whole name may come together with one whose name begins so.
      try? await host.sleep(for: Self.settling)
      let later = Nearby(await browser.peers)
      if later.select(name) != .none { nearby = later }
    }
    return nearby
  }

  /// Reports why no peer is meant by a name; a number means none but those that are nearby.
  private func explainAbsence(of name: String, among nearby: Nearby) async {
    guard Int(name) == nil else {
      return console.complain("earshot: no peer nearby has the number \(name)")
    }
    let known = await peer.absentee(called: name, besides: [nearby])?.description
    let sentence =
      if let known { known } else { await peer.absence(of: name).description }
    let hint = nearby.resembling(name).prefix(3).map {
      " Did you mean \($0.id.description.prefix(name.count)) (\($0.name.escapedForTerminals))?"
    }
    console.complain("earshot: \(sentence.escapedForTerminals)" + hint.joined())
  }

  private func refuse(_ found: [DiscoveredPeer], called name: String) -> DiscoveredPeer? {
    let (safeName, identifiers) = (name.escapedForTerminals, found.map(\.id.short))
    if Set(found.map(\.name)).count > 1 {
      console.complain(
        "earshot: the names of \(found.count) peers begin with \"\(safeName)\"; "
          + "choose one of \(found.choices)")
    } else {
      console.complain(
        "earshot: \(found.count) peers are called \"\(safeName)\"; "
          + "give one of their identifiers: \(identifiers.joined(separator: ", "))")
    }
    return nil
  }

  /// Invites a peer into a session.
  ///
  /// - Returns: Whether it has joined; if not, the console reports the reason.
  func invite(_ found: FoundPeer, to session: Session) async throws(EarshotError) -> Bool {
    do throws(EarshotError) {
      let hasJoined = try await begin(found, to: session)
      await browsing.end()
      return hasJoined
    } catch {
      await browsing.end()
      throw error
    }
  }

  private func begin(_ found: FoundPeer, to session: Session) async throws(EarshotError) -> Bool {
    do throws(EarshotError) {
      let outcome =
        if let ticket = found.ticket {
          try await peer.invite(ticket, to: session, within: timeout)
        } else {
          try await peer.invite(found.id, to: session, within: timeout)
        }
      if outcome == .accepted { return true }
    } catch {
      guard error.code == .untrustedPeer else { throw error }
    }
    if !Task.isCancelled {
      let explanation = await peer.explanation(of: found.id)
      console.complain(
        "earshot: \(explanation.description.escapedForTerminals)\(explanation.cause.hint)")
    }
    return false
  }

  private static let settling = Duration.seconds(1)
  /// Longer than a search that succeeds at once.
  private static let silence = Duration.milliseconds(1_500)
}

extension PeerExplanation.Cause {
  /// The option that may end a failure, after the sentence.
  fileprivate var hint: String {
    self == .notTrusting ? " The option --identity gives this peer its key." : ""
  }
}

extension [DiscoveredPeer] {
  /// The peers to choose from, with what tells them apart: `Ann (k3x7m2qa), Anna (p5c8r4td)`.
  fileprivate var choices: String {
    map { "\($0.name.escapedForTerminals) (\($0.id.short))" }.joined(separator: ", ")
  }
}

extension InvitationOutcome {
  /// The answer, as words after the name of the invited peer.
  var sentence: String {
    switch self {
    case .accepted: "accepted"
    case .declined: "declined"
    case .timedOut: "did not answer in time"
    case .unreachable: "cannot be reached"
    case .busy: "is busy; try again later"
    case .full: "cannot join: the session is full"
    case .mismatch: "does not advertise this service, or has another version"
    case .untrusted:
      "is not trusted, or does not trust this peer: --identity gives this peer its key"
    case .cancelled: "has not answered: the invitation was cancelled"
    }
  }
}
