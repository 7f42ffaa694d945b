import Earshot
import EarshotSimulator

extension ScenarioDocument {
  /// This document, in which the counts that are expected follow what is left of a larger one.
  ///
  /// What is left out takes with it what the expectation had asked of it. A document from which more is asked than is
  /// left is void.
  func withCounts(of larger: ScenarioDocument) -> ScenarioDocument {
    guard let nodes = root["expect"]?.elements, nodes.contains(where: Self.hasCount),
      let before = larger.scenario, let after = scenario
    else { return self }
    var document = self
    let counted = zip(nodes, after.expectations).map { node, expectation -> JSON5Node in
      guard let former = before.expectations.first(where: { $0.name == expectation.name }) else {
        return node
      }
      guard
        let node = node.withCounts(
          of: expectation, in: after, formerly: former, in: before, names: peers)
      else {
        document.isVoid = true
        return node
      }
      return node
    }
    guard counted.count == nodes.count else { return self }
    document.root = root.setting("expect", JSON5Node(.array(counted)))
    return document
  }

  private static func hasCount(_ node: JSON5Node) -> Bool {
    node["members"] != nil
      || countHolders(node).contains { holder in
        ["exactly", "atLeast"].contains { holder[$0] != nil }
      }
  }

  /// The peers of a name: of a peer, a group or all.
  private func peers(called name: String) -> [String] {
    if name == "all" { return peerNames }
    if peerNames.contains(name) { return [name] }
    return root["groups"]?[name]?.elements.compactMap(\.string).flatMap(peers) ?? []
  }

  /// The object of an expectation that says how many, for each subject.
  private static func countHolders(_ node: JSON5Node) -> [JSON5Node] {
    [node] + ["messages", "streams", "files"].compactMap { node[$0] }
  }
}

/// How many of something there can be at most, in a larger scenario and in what is left of it.
private struct Supply {
  let before: Int
  let after: Int

  /// The count that is asked of what is left; `nil` when nothing can be asked.
  ///
  /// Where each of the things was asked for equally often, each one that is left is. Otherwise as many may be missing
  /// as before.
  func following(_ count: Int) -> Int? {
    guard before != after, count > 0 else { return count }
    guard after > 0 else { return nil }
    if before > 0, count.isMultiple(of: before) { return count / before * after }
    let left = count - (before - after)
    return left > 0 ? left : nil
  }
}

extension JSON5Node {
  /// An expectation whose counts follow what is left; `nil` when nothing can be asked.
  fileprivate func withCounts(
    of expectation: Expectation, in after: Scenario, formerly former: Expectation,
    in before: Scenario, names: (String) -> [String]
  ) -> JSON5Node? {
    switch (former.kind, expectation.kind) {
    case (.members, .members): return withMembers(after, before, names)
    case (.event(let old, _, _), .event(let new, _, _)),
      (.following(let old, _, _, _), .following(let new, _, _, _)):
      return withCount(
        Supply(
          before: before.pairCount(old.observer, old.subject),
          after: after.pairCount(new.observer, new.subject)))
    case (.outcome(let old, _, _), .outcome(let new, _, _)):
      return withCount(
        Supply(
          before: before.pairCount(old.inviter, old.guest),
          after: after.pairCount(new.inviter, new.guest)))
    case (.messages(let old, let window), .messages(let new, let newWindow)):
      guard let sent = before.plannedMessages(old, by: window.upperBound),
        let left = after.plannedMessages(new, by: newWindow.upperBound)
      else { return self }
      return within("messages") { $0.withCount(Supply(before: sent, after: left)) }
    case (.streams(let old, _), .streams(let new, _)):
      let supply = Supply(before: before.planned(old).bytes, after: after.planned(new).bytes)
      return within("streams") { $0.withCount(supply) }
    case (.files(let old, _), .files(let new, _)):
      let supply = Supply(before: before.planned(old), after: after.planned(new))
      return within("files") { $0.withCount(supply) }
    case (.members, _), (.event, _), (.following, _), (.outcome, _), (.messages, _), (.streams, _),
      (.files, _), (.connected, _), (.disconnected, _), (.order, _), (.traffic, _),
      (.interrupted, _):
      return self
    }
  }

  private func within(_ key: String, _ change: (JSON5Node) -> JSON5Node?) -> JSON5Node? {
    guard let inner = self[key] else { return self }
    return change(inner).map { setting(key, $0) }
  }

  /// An object whose `exactly` or `atLeast` follows what is left.
  private func withCount(_ supply: Supply) -> JSON5Node? {
    for key in ["exactly", "atLeast"] {
      guard let node = self[key] else { continue }
      if case .number(let text) = node.value, let count = Int(text) {
        return supply.following(count).map { setting(key, JSON5Node(.number("\($0)"))) }
      }
      guard let bytes = node.string.flatMap({ Quantity.bytes(of: $0) }) else { return self }
      return supply.following(bytes).map { setting(key, .text(Quantity.size($0))) }
    }
    return self
  }

  /// How many members peers must have, of a group that became smaller.
  private func withMembers(
    _ after: Scenario, _ before: Scenario, _ names: (String) -> [String]
  ) -> JSON5Node? {
    func following(_ node: JSON5Node, of peers: [String]) -> JSON5Node? {
      let supplies = Set(
        peers.map { [before.reach(of: $0), after.reach(of: $0)] })
      // Peers that are counted as one and reach different numbers of others have no count in common.
      guard let first = supplies.first, supplies.count == 1 else {
        return supplies.contains { $0[0] != $0[1] } ? nil : node
      }
      let supply = Supply(before: first[0], after: first[1])
      guard case .number(let text) = node.value, let count = Int(text) else {
        return node.withCount(supply)
      }
      return supply.following(count).map { JSON5Node(.number("\($0)")) }
    }
    guard let members = self["members"] else { return self }
    guard case .object(let counts) = members.value else {
      return following(members, of: after.peerNames).map { setting("members", $0) }
    }
    var followed = members
    for count in counts {
      guard let node = following(count.value, of: names(count.key)) else {
        return nil
      }
      followed = followed.setting(count.key, node)
    }
    return setting("members", followed)
  }
}

extension Scenario {
  /// How many pairs of two parties are counted together: a party of `each` has one peer for each count.
  fileprivate func pairCount(_ left: Party, _ right: Party) -> Int {
    let sides = [left, right].map { $0.isEach ? nil : $0.names ?? peerNames }
    switch (sides[0], sides[1]) {
    case (let lefts?, let rights?):
      return lefts.reduce(0) { sum, left in sum + rights.count { $0 != left } }
    case (let names?, nil), (nil, let names?): return names.count
    case (nil, nil): return 1
    }
  }

  /// How many members a peer can have at most: the peers that invitations bring together with it, as far as its session
  /// has room.
  fileprivate func reach(of name: String) -> Int {
    guard let plan = peers.first(where: { $0.name == name }) else { return 0 }
    var (group, rest): ([PeerPlan], [PeerPlan]) = ([plan], peers.filter { $0.name != name })
    var index = 0
    while index < group.count {
      let member = group[index]
      let near = rest.filter { member.mayMeet($0) || $0.mayMeet(member) }
      group += near
      rest.removeAll { peer in near.contains { $0.name == peer.name } }
      index += 1
    }
    let room = plan.sessions.map { $0.capacity ?? Session.Configuration().peersMax }.reduce(0, +)
    return min(group.count, room) - 1
  }
}

extension PeerPlan {
  /// Whether one of its invitations may be for another peer.
  fileprivate func mayMeet(_ other: PeerPlan) -> Bool {
    discovery.finds(other.discovery)
      && invitations.contains { invitation in
        switch invitation.guest {
        case .peer(let name): name == other.name
        case .found, .foundSmaller: true
        }
      }
  }
}
