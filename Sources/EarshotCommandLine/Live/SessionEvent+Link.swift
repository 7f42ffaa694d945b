import Earshot
import EarshotScenario

extension SessionEvent {
  /// The sentence about a link that is interrupted or back.
  ///
  /// - Parameter patience: How long the session waits for the member.
  /// - Returns: The sentence, safe to print; `nil` for other events.
  func linkSentence(patience: Duration) -> String? {
    let name = member.name.escapedForTerminals
    switch self {
    case .interrupted(_, let reason):
      let why = reason == .suspending ? "is suspended" : "is out of reach"
      return "\(name) \(why); waiting for up to \(patience.components.seconds) s"
    case .resumed: return "\(name) is back, and nothing is lost"
    case .left, .joining, .joined: return nil
    }
  }
}
