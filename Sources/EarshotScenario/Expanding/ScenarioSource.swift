import EarshotSimulator

/// A scenario as it was written, with what it includes, repeats and gives names to put in its place.
package struct ScenarioSource {
  /// What reads a file that is included: its path, relative to where the scenario's own path is.
  package typealias Loader = (String) throws(ScenarioError) -> String

  /// The document, in which nothing is left to be put in its place.
  package private(set) var root: JSON5Node
  /// Whether it differs from what was written.
  package private(set) var isExpanded = false
  private let file: String
  private let mistakes: Mistakes
  private let settings: [String]

  /// The document that a text makes.
  ///
  /// - Parameters:
  ///   - text: JSON5, at most ``Scenario/textBytesMax`` bytes with all that it includes.
  ///   - file: The name of the file, for messages.
  ///   - settings: Values for some of its variables in place of its own: the names, and the values as JSON5 or as they
  ///     are.
  ///   - load: Reads included files; without it there are none.
  /// - Throws: Every mistake in the texts and in what is to be put in its place.
  package init(
    json5 text: String, file: String, settings: [(name: String, value: String)] = [],
    load: Loader? = nil
  ) throws(ScenarioError) {
    guard text.utf8.count <= Scenario.textBytesMax else {
      throw ScenarioError(
        file: file, reason: "larger than \(Quantity.size(Scenario.textBytesMax))")
    }
    (self.file, mistakes, root) = (file, Mistakes(in: text), JSON5Node(.null))
    self.settings = settings.map { "\($0.name)=\($0.value)" }
    do throws(JSON5Error) {
      root = try JSON5Parser.parse(text)
    } catch {
      mistakes.add(error.reason, at: error.offset, path: "")
    }
    try check()
    if root["include"] != nil {
      isExpanded = true
      var inclusion = Inclusion(mistakes, load)
      root = inclusion.document(root, of: file)
      try check()
    }
    try expand(settings)
  }

  private mutating func expand(
    _ settings: [(name: String, value: String)]
  ) throws(ScenarioError) {
    let names = root["variables"]?.members?.map(\.key) ?? []
    for setting in settings where !names.contains(setting.name) {
      let nearest = Spelling.nearest(to: setting.name, among: names)
      throw ScenarioError(
        file: file,
        reason: "there is no variable \"\(setting.name)\" to set"
          + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
    guard root["variables"] != nil || root.hasRepetition else { return }
    isExpanded = true
    let expansion = Expansion(mistakes)
    root = expansion.document(root, settings)
    try check()
    guard root.json.utf8.count <= Scenario.textBytesMax else {
      throw ScenarioError(file: file, reason: Expansion.tooLarge)
    }
  }

  private func check() throws(ScenarioError) {
    guard mistakes.isEmpty else { throw ScenarioError(file: file, mistakes: mistakes.all) }
  }

  /// The scenario that the document describes.
  ///
  /// - Throws: Every mistake in it.
  package func scenario() throws(ScenarioError) -> Scenario {
    var reader = ScenarioReader(mistakes: mistakes)
    reader.read(root)
    try check()
    var scenario = reader.scenario
    scenario.origin.settings = settings
    return scenario
  }
}
