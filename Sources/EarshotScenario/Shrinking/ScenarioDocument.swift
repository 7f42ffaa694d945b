import EarshotCore
package import EarshotSimulator

/// A scenario as it stands in a file, which can be changed, read and written again.
///
/// A failure is reduced on the document, not on what was read from it: the reader says which changes make sense, and the
/// result is a scenario file like any other.
package struct ScenarioDocument: Hashable, Sendable {
  package var root: JSON5Node
  /// The name of the expectation that fails, without which the document has nothing to do with the failure; `nil` if
  /// something else fails.
  private(set) var expectation: String?
  /// Whether the expectation that fails asks for what cannot be in what is left.
  var isVoid = false

  package init(_ root: JSON5Node) { self.root = root }

  /// The document with another root.
  package func with(_ root: JSON5Node) -> ScenarioDocument {
    var document = self
    document.root = root
    return document
  }

  /// The document of a text that has been read as a scenario before, with its variables and repetitions in place.
  package init(json5 text: String, file: String) throws(ScenarioError) {
    root = try ScenarioSource(json5: text, file: file).root
  }

  /// The document as JSON.
  package var text: String { root.json }

  /// The scenario that it describes, or `nil` when it describes none.
  package var scenario: Scenario? { try? Scenario(json5: text, file: "") }

  /// The document of one run: every fault written out, every peer and every expectation with a name of its own.
  ///
  /// A run of it is the run of the scenario with the seed.
  ///
  /// - Parameters:
  ///   - seed: The seed of the run.
  ///   - schedule: What the policy of the run has chosen, or the policy itself; `nil` for the scenario's own.
  ///   - guide: The bytes that decided before the seed.
  ///   - buggified: The points of BUGGIFY that took effect in the run; `nil` for those of the document.
  /// - Returns: The document; as it is when it describes no scenario.
  package func fixed(
    seed: UInt64, schedule: SchedulePolicy?, guidedBy guide: [UInt8] = [],
    buggified: [String]? = nil
  ) -> ScenarioDocument {
    guard var scenario else { return self }
    scenario.guide = guide
    var fixed = self
    fixed.expandCrowds()
    fixed.nameExpectations(scenario)
    fixed.root = fixed.root.setting("seed", JSON5Node(.number("\(seed)")))
    fixed.set(faults: scenario.faultPlan(seed: seed).plan.faults)
    if let schedule { fixed.schedule = schedule }
    if let buggified {
      fixed.root = fixed.root.setting("buggify", Buggify.only(buggified).node)
    }
    return fixed
  }

  /// Writes these faults in the place of all that befalls the peers.
  private mutating func set(faults: [Fault]) {
    let nodes = faults.compactMap { try? JSON5Parser.parse($0.description) }
    root = root.setting("randomFaults", nil)
      .setting("faults", nodes.isEmpty ? nil : JSON5Node(.array(nodes)))
  }

  /// Writes each peer of a crowd by itself, and the crowd as a group.
  private mutating func expandCrowds() {
    guard let peers = root["peers"]?.elements else { return }
    var (all, groups): ([JSON5Node], [JSON5Member]) = ([], root["groups"]?.members ?? [])
    for peer in peers {
      guard let name = peer["name"]?.string, case .number(let text)? = peer["count"]?.value,
        let count = Int(text)
      else {
        all.append(peer.string.map { JSON5Node(.object([])).setting("name", .text($0)) } ?? peer)
        continue
      }
      let names = (1...max(1, count)).map { "\(name)\($0)" }
      for name in names { all.append(peer.setting("count", nil).setting("name", .text(name))) }
      groups.append(
        JSON5Member(key: name, offset: 0, value: JSON5Node(.array(names.map { .text($0) }))))
    }
    root = root.setting("peers", JSON5Node(.array(all)))
    if !groups.isEmpty { root = root.setting("groups", JSON5Node(.object(groups))) }
  }

  /// Gives each expectation the name that it has in reports, which changes of peers would change.
  private mutating func nameExpectations(_ scenario: Scenario) {
    guard let expect = root["expect"] else { return }
    let named = zip(expect.elements, scenario.expectations).map { node, expectation in
      node.setting("name", .text(Self.shortName(expectation.name)))
    }
    guard named.count == expect.elements.count else { return }
    root = root.setting("expect", JSON5Node(.array(named)))
  }

  /// The name of an expectation in a document, where names have a bound.
  package static func shortName(_ name: String) -> String {
    String(decoding: name.utf8.prefix(200), as: UTF8.self)
  }

  /// The document of a failure: of what a fixed document expects, only that is left which fails.
  ///
  /// - Parameter name: The name of what fails; of an expectation, or of what always holds.
  /// - Returns: The document, which is valid only while it has that expectation.
  package func failing(_ name: String) -> ScenarioDocument {
    let nodes = root["expect"]?.elements ?? []
    let failing = nodes.first { $0["name"]?.string == Self.shortName(name) }
    let expectation = failing?["name"]?.string
    var document = with(
      root.setting("expect", failing.map { JSON5Node(.array([$0])) })
        .setting("reproduces", .text(expectation ?? name)))
    document.expectation = expectation
    return document
  }

  // MARK: Parts

  package var peerNames: [String] {
    root["peers"]?.elements.compactMap { $0["name"]?.string ?? $0.string } ?? []
  }

  package var faultCount: Int { root["faults"]?.elements.count ?? 0 }

  /// The document with some of its faults.
  func keeping(faults kept: [Int]) -> ScenarioDocument {
    guard let faults = root["faults"]?.elements else { return self }
    let nodes = kept.map { faults[$0] }
    return with(root.setting("faults", nodes.isEmpty ? nil : JSON5Node(.array(nodes))))
  }

  /// The document without some peers, and without what is about them alone.
  package func without(peers names: Set<String>) -> ScenarioDocument {
    guard let peers = root["peers"]?.elements else { return self }
    let kept = peers.filter { !names.contains($0["name"]?.string ?? $0.string ?? "") }
    let rest = root.setting("peers", JSON5Node(.array(kept)))
    return with(rest.forgetting(names))
  }
}
