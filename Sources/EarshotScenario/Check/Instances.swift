/// What `each` stands for in the parties of an expectation.
///
/// The same `each` in several pairs is the same peer: the first one with the first, the second with the second.
struct Instances {
  /// One `each`: the peers that it stands for.
  struct Choice: Hashable {
    let names: [String]
    /// Its place among the equal ones of one pair.
    fileprivate let ordinal: Int
  }
  /// Every different `each`, in the order of the text.
  private(set) var choices: [Choice] = []
  /// For each party of each pair the place of its choice; `nil` for a party that is taken as a whole.
  private(set) var places: [[Int?]] = []

  /// The parties of some pairs.
  init(_ pairs: [[Party]]) {
    for pair in pairs {
      places.append(pair.indices.map { place(of: pair[$0], behind: pair[..<$0]) })
    }
  }

  private mutating func place(of party: Party, behind others: ArraySlice<Party>) -> Int? {
    guard party.isEach, let names = party.names else { return nil }
    let choice = Choice(names: names, ordinal: others.count { $0.isEach && $0.names == names })
    if let place = choices.firstIndex(of: choice) { return place }
    choices.append(choice)
    return choices.count - 1
  }

  /// Every way to choose, in the order of the peers; no peer is paired with itself.
  ///
  /// - Returns: For each way the peers of all pairs; `nil` for a party that is taken as a whole.
  var all: [[[String?]]] {
    var picks: [[String]] = [[]]
    for choice in choices {
      picks = picks.flatMap { pick in choice.names.map { pick + [$0] } }
    }
    return picks.compactMap { pick in
      let pairs = places.map { $0.map { place in place.map { pick[$0] } } }
      let isAlone = pairs.contains { $0.count == 2 && $0[0] != nil && $0[0] == $0[1] }
      return isAlone ? nil : pairs
    }
  }
}
