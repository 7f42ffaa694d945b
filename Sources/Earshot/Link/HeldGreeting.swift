import EarshotCore

/// A greeting, and what came behind it, of a remote peer about whom the program is being asked.
struct HeldGreeting {
  let greeting: Hello
  private(set) var frames: [Frame] = []

  init(_ greeting: Hello) { self.greeting = greeting }

  /// Keeps one more frame: the request, what takes it back, and little else.
  ///
  /// - Returns: Whether there was room for it.
  mutating func append(_ frame: Frame) -> Bool {
    guard frames.count < Self.framesMax else { return false }
    frames.append(frame)
    return true
  }

  /// The invitations that wait for what is said of their sender.
  var invitations: [InvitationID] {
    frames.compactMap { frame in
      if case .invitation(.invite(let invite)) = frame { invite.invitation } else { nil }
    }
  }

  private static let framesMax = 4
}
