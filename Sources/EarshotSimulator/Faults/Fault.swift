/// Something that befalls the peers or their network.
package struct Fault: Hashable, Sendable {
  /// What it is.
  package enum Kind: Hashable, Sendable {
    /// Only the peers of one group hear each other; those in no group form one more. Replaces an earlier one.
    case partition([[String]])
    /// What goes over these links vanishes.
    case cut(LinkEnds)
    /// All partitions and cuts end.
    case heal
    /// The host stops at once and says nothing; its connections vanish without a word.
    case crash(String)
    /// A crashed host starts again, with its old identity or a new one.
    case restart(String, keepsIdentity: Bool)
    /// The system suspends the program, as it does in the background.
    case suspend(String, grace: Duration)
    /// The program runs again.
    case resume(String)
    /// The links become what is said.
    case link(LinkEnds, LinkChange)
  }

  /// When.
  package var at: Duration
  package var kind: Kind
  /// How long it lasts; `nil` for ever, or until a later fault ends it.
  package var lasting: Duration?

  /// A fault at a time.
  package init(at: Duration, _ kind: Kind, lasting: Duration? = nil) {
    (self.at, self.kind, self.lasting) = (at, kind, lasting)
  }
}

/// Faults that the seed decides.
package struct RandomFaults: Hashable, Sendable {
  /// The kinds that can be drawn.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case partition, cut, crash, suspend, link
  }
  package var count: Int
  package var kinds: [Kind]
  package var between: ClosedRange<Duration>
  package var lasting: ClosedRange<Duration>
}

extension Fault: CustomStringConvertible {
  /// The fault as it stands in a scenario file, so that it can be copied into one.
  package var description: String {
    var parts = ["at: \"\(Quantity.time(at))\""] + kind.parts
    if let lasting { parts.append("for: \"\(Quantity.time(lasting))\"") }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}

extension Fault.Kind {
  /// The fault in a few words, for a timeline.
  package var phrase: String {
    switch self {
    case .partition(let groups):
      "partition " + groups.map { $0.joined(separator: " ") }.joined(separator: " | ")
    case .cut(let ends): "cut \(ends.phrase)"
    case .heal: "heal"
    case .crash(let peer): "crash of \(peer)"
    case .restart(let peer, let keepsIdentity):
      "restart of \(peer)" + (keepsIdentity ? "" : " as a stranger")
    case .suspend(let peer, let grace):
      "suspension of \(peer) after \(Quantity.time(grace))"
    case .resume(let peer): "resumption of \(peer)"
    case .link(let ends, let change):
      "link \(ends.phrase) " + change.parts.joined(separator: ", ").filter { $0 != "\"" }
    }
  }

  fileprivate var parts: [String] {
    switch self {
    case .partition(let groups):
      ["kind: \"partition\"", "groups: [\(groups.map(Self.list).joined(separator: ", "))]"]
    case .cut(let ends): ["kind: \"cut\""] + ends.parts
    case .heal: ["kind: \"heal\""]
    case .crash(let peer): ["kind: \"crash\"", "peer: \"\(peer)\""]
    case .restart(let peer, let keepsIdentity):
      ["kind: \"restart\"", "peer: \"\(peer)\"", "identity: \"\(keepsIdentity ? "kept" : "new")\""]
    case .suspend(let peer, let grace):
      ["kind: \"suspend\"", "peer: \"\(peer)\"", "grace: \"\(Quantity.time(grace))\""]
    case .resume(let peer): ["kind: \"resume\"", "peer: \"\(peer)\""]
    case .link(let ends, let change): ["kind: \"link\""] + ends.parts + change.parts
    }
  }

  fileprivate static func list(_ names: [String]) -> String {
    "[\(names.map { "\"\($0)\"" }.joined(separator: ", "))]"
  }
}

extension LinkEnds {
  fileprivate var phrase: String {
    "\(sources.joined(separator: " ")) \(isMutual ? "↔" : "→") \(destinations.joined(separator: " "))"
  }

  fileprivate var parts: [String] {
    let (from, to) = (Fault.Kind.list(sources), Fault.Kind.list(destinations))
    return isMutual ? ["between: [\(from), \(to)]"] : ["from: \(from)", "to: \(to)"]
  }
}

extension LinkChange {
  fileprivate var parts: [String] {
    [
      latency.map { "latency: \"\(Quantity.time($0))\"" },
      jitter.map { "jitter: \"\(Quantity.time($0))\"" },
      loss.map { "loss: \($0)" },
      duplication.map { "duplication: \($0)" },
      reordering.map { "reordering: \($0)" },
      bandwidth.map { "bandwidth: \"\(Quantity.rate($0))\"" },
      queue.map { "queue: \"\(Quantity.size($0))\"" },
      mtu.map { "mtu: \"\(Quantity.size($0))\"" },
    ].compactMap { $0 }
  }
}
