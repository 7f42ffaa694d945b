/// The documentation of the scenario format.
public enum ScenarioFormat {
  /// The article <doc:ScenarioFormat>, in Markdown.
  public static var text: String {
    String(decoding: PackageResources.ScenarioFormat_md, as: UTF8.self)
  }
}
