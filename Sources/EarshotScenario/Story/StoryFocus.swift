import EarshotSimulator

/// What a failure is about: which peers, and when.
struct StoryFocus: Hashable {
  /// The peers that it names, each once; all when it names none.
  let peers: [String]
  /// The words of what was violated, among them what should not have happened.
  let words: [String]
  /// When it happened, or by when something should have.
  let time: Duration
  /// Whether something happened, and not: nothing did.
  let isEvent: Bool

  /// The focus of what was violated, as its report says it.
  ///
  /// - Parameters:
  ///   - result: What was violated.
  ///   - peers: The peers of the run.
  ///   - end: The end of the run.
  init(_ result: Verdict.Result, among peers: [String], end: Duration) {
    let (observed, name) = (Self.words(result.observed), Self.words(result.name))
    words = name.filter { $0.count > 3 }
    let named = Set(observed).isDisjoint(with: peers) ? Set(name) : Set(observed)
    let chosen = peers.filter { named.contains($0) }
    self.peers = chosen.isEmpty ? peers : chosen
    let seen = observed.firstIndex(of: "at").flatMap { Self.moment(in: observed[$0...]) }
    isEvent = seen != nil && !observed.contains("not")
    let bound = Self.moment(in: observed[...]) ?? name.reversed().lazy.compactMap(Self.moment).first
    time = min(seen ?? bound ?? end, end)
  }

  private static func words(_ text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber || "._-".contains($0)) }.map(String.init)
  }

  private static func moment(_ word: String) -> Duration? {
    word.last == "s" && word.first?.isNumber == true ? Quantity.duration(of: word) : nil
  }

  private static func moment(in words: ArraySlice<String>) -> Duration? {
    words.lazy.compactMap(moment).first
  }
}
