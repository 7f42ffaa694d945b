import Earshot
import EarshotCore
import EarshotSimulator

/// The peers of a cast as the public interface shows them, and the reports to their programs.
struct Picture: Sendable {
  /// Each thing that can be seen, as text by its name.
  var facts: [String: String]
  var lines: [Notebook.Line]

  /// The differences from another picture.
  ///
  /// - Parameters:
  ///   - other: The picture of the same instant of a world in which the call was not made.
  ///   - exempt: The beginnings of the names of facts, and of reports, that may differ.
  /// - Returns: The differences, a line each.
  func differences(from other: Picture, but exempt: [String]) -> [String] {
    func counts(_ name: String) -> Bool { !exempt.contains { name.hasPrefix($0) } }
    let mine = lines.map(\.description).filter { counts(String($0.drop { $0 != " " }.dropFirst())) }
    let others = other.lines.map(\.description).filter {
      counts(String($0.drop { $0 != " " }.dropFirst()))
    }
    return factDifferences(from: other, counts)
      + mine.difference(from: others).map { change in
        switch change {
        case .insert(_, let line, _): "+ \(line)"
        case .remove(_, let line, _): "- \(line)"
        }
      }
  }

  /// The differences that stay when whatever the call has begun has ended, and was reported to end.
  ///
  /// - Parameters:
  ///   - other: The picture of the same instant of a world in which the call was not made.
  ///   - exempt: The beginnings of the names of facts, and of reports, that may differ.
  /// - Returns: What differs, a line each.
  func remains(since other: Picture, but exempt: [String]) -> [String] {
    func counts(_ name: String) -> Bool { !exempt.contains { name.hasPrefix($0) } }
    let (mine, others) = (lines.filter { counts($0.text) }, other.lines.filter { counts($0.text) })
    var missed: [String: Int] = [:]
    for line in others { missed[line.text, default: 0] += 1 }
    var surplus: [String] = []
    for line in mine {
      let count = missed[line.text] ?? 0
      if count > 0 { missed[line.text] = count - 1 }
      if count == 0, line.change == .none { surplus.append("+ \(line)") }
    }
    let open = Self.open(after: mine).symmetricDifference(Self.open(after: others))
    let facts = factDifferences(from: other) { name in
      counts(name) && name != "the trace"
        && !(name.hasSuffix("leftovers") && self.facts[name] == "")
    }
    return facts + surplus + missed.filter { $0.value > 0 }.keys.sorted().map { "- \($0)" }
      + open.sorted().map { "begun and not ended: \($0)" }
  }

  /// What has begun and not ended.
  private static func open(after lines: [Notebook.Line]) -> Set<String> {
    lines.reduce(into: []) { open, line in
      switch line.change {
      case .begins(let thing): open.insert(thing)
      case .ends(let thing): open.remove(thing)
      case .none: break
      }
    }
  }

  private func factDifferences(
    from other: Picture, _ counts: (String) -> Bool
  ) -> [String] {
    Set(facts.keys).union(other.facts.keys).filter(counts).sorted().compactMap { name in
      let (was, became) = (other.facts[name] ?? "nothing", facts[name] ?? "nothing")
      return was == became ? nil : "\(name): \(became) instead of \(was)"
    }
  }
}

extension Cast {
  /// A picture of now.
  func picture() async -> Picture {
    var facts = book.facts.merging(streams.facts) { $1 }
    let peers = [("Ann", ann), ("Bob", bob), ("Cy", cy)]
    for (name, peer) in peers {
      facts["\(name)'s name"] = peer.name
      facts["\(name)'s sessions"] = "\(await peer.sessionCount)"
      facts["\(name)'s leftovers"] = await peer.leftovers.joined(separator: ", ")
      facts["\(name)'s port"] = "\(await peer.port)"
      facts["\(name)'s discovery"] = await peer.discoveryProblem.map { "\($0.code.name)" }
      facts["\(name)'s ticket"] = await outcome { "\(try await peer.ticket(for: "room"))" }
      for (other, id) in peers.map({ ($0.0, $0.1.id) }) + [("Dora", Self.dora)] {
        facts["\(name)'s standing of \(other)"] = "\(await peer.standing(of: id))"
      }
    }
    facts["Ann's store"] = store.records().map {
      "\($0.peer.short) \($0.name) \($0.isVerified)"
    }.joined(separator: ", ")
    for (browser, name) in zip(browsers, ["Ann", "Bob", "Cy"]) {
      facts["\(name)'s browser"] = await browser.peers.map(\.text).joined(separator: ", ")
    }
    facts["Ann's info"] = await room.info.map { "\($0)" }
    facts["Ann's invitation"] = invitation.ending.map(\.rawValue)
    for (name, session) in sessions {
      facts["\(name): members"] = await session.members.map(\.description).joined(separator: ", ")
      facts["\(name): snapshot"] = "\(await session.snapshots.first { _ in true } ?? [])"
      for member in await session.members {
        let traffic = await session.statistics(of: member.id)
        facts["\(name): traffic with \(member.name)"] = traffic?.text
        facts["\(name): security of \(member.name)"] =
          await session.security(of: member.id).map { "\($0)" }
      }
    }
    facts["the trace"] = "\(world.traceHash)"
    return Picture(facts: facts, lines: book.lines)
  }

  private var sessions: [(String, Session)] {
    [
      ("Ann, shared", shared[0]), ("Bob, shared", shared[1]), ("Cy, shared", shared[2]),
      ("Ann, own", own), ("Ann, fresh", fresh), ("Ann, hall", hall), ("Bob, own", bobs),
      ("Bob, inviter", inviter),
    ]
  }

  /// A peer that does not exist.
  static let dora: PeerID = {
    var random = RandomStream(seed: 4)
    return PeerID(random: &random)
  }()
}

extension MemberStatistics {
  /// The counts of messages.
  fileprivate var text: String {
    """
    \(messagesSent) \(messagesReceived) \(messagesUnacknowledged), \(unreliable.messagesSent) \
    \(unreliable.messagesReceived) \(unreliable.dropped.sorted { $0.key.rawValue < $1.key.rawValue })
    """
  }
}

/// The text of what a call returns, or the code of the error that it throws.
func outcome(of body: () async throws -> String) async -> String {
  do { return try await body() } catch let error as EarshotError { return error.code.name } catch {
    return "\(error)"
  }
}
