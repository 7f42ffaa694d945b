import CEarshotScenario

/// The documentation of the scenario format.
public enum ScenarioFormat {
  /// The article <doc:ScenarioFormat>, in Markdown.
  public static var text: String {
    let bytes = UnsafeBufferPointer(
      start: earshot_scenario_format(), count: earshot_scenario_format_bytes())
    return String(decoding: bytes, as: UTF8.self)
  }
}
