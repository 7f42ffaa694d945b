/// Finds the word that was probably meant.
package enum Spelling {
  /// The nearest of some words, or `nil` when none is near enough to be a slip of the fingers.
  ///
  /// - Parameters:
  ///   - word: The word as it was written; only its first 64 characters are looked at.
  ///   - candidates: The right words.
  /// - Returns: A candidate that equals the word but for case, or the one with the fewest slips, at
  ///   most a third of the word's length; the first one of equals.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let word = String(word.prefix(64))
    if let same = candidates.first(where: { $0.lowercased() == word.lowercased() }) { return same }
    let ranked = candidates.map { (candidate: $0, slips: slips(from: word, to: $0)) }
    let best = ranked.min { $0.slips < $1.slips }
    return best.flatMap {
      $0.slips <= max(1, max(word.count, $0.candidate.count) / 3) ? $0.candidate : nil
    }
  }

  /// How many characters were left out, added, changed, or swapped with their neighbour.
  ///
  /// - SeeAlso: Damerau: "A technique for computer detection and correction of spelling errors"
  ///   (CACM 1964); this is the optimal string alignment distance.
  package static func slips(from left: String, to right: String) -> Int {
    let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
    var rows = [Array(0...right.count)]
    for (i, character) in left.enumerated() {
      var row = [i + 1]
      for (j, other) in right.enumerated() {
        var slips = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (character == other ? 0 : 1))
        if i > 0, j > 0, character == right[j - 1], left[i - 1] == other {
          slips = min(slips, rows[i - 1][j - 1] + 1)
        }
        row.append(slips)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
