import Earshot
import EarshotSimulator

extension FuzzTarget {
  /// A live session, to whose peer somebody says frames in any order, cut anywhere, at any times.
  ///
  /// Ann answers every message of hers with the same bytes. Whatever Mallory has said, Bob, who was a member before,
  /// still is, and is answered, unless those whom she brought were before him in the row of places; nobody becomes a
  /// member who has not proved to be that peer; and when all are gone, nothing is left of them.
  static let session = FuzzTarget(
    "session", bytesMax: 1_024,
    reaching: [
      "ACCEPT", "ATTACH", "ATTACHED", "ACK", "MESSAGE", "INTRODUCE", "RETRACT", "PONG", "CLOSE",
      "COMMIT", "NONCE", "VERDICT", "UNRELIABLE", "joined", "interrupted", "resumed", "left",
      "another joined",
    ]
  ) { bytes in
    try playScene(bytes, isInviting: false)
  }

  /// The same, where Ann has invited Mallory, who answers what she likes.
  static let inviting = FuzzTarget(
    "inviting", bytesMax: 1_024,
    reaching: [
      "INVITE", "CANCEL", "ATTACH", "ATTACHED", "accepted", "declined", "busy", "full",
      "unreachable", "timedOut", "joined", "interrupted", "resumed", "left", "another joined",
      "Bob gave way",
    ]
  ) { bytes in
    try playScene(bytes, isInviting: true)
  }

  private static func playScene(_ bytes: [UInt8], isInviting: Bool) throws -> Set<String> {
    let world = World(seed: 1)
    defer { world.finish() }
    let scene = SessionScene(in: world)
    guard world.run(until: { scene.isReady }, within: .seconds(20)) else {
      throw BrokenLaw(description: "Bob was not let in")
    }
    scene.play(bytes, isInviting: isInviting)
    guard world.run(until: { scene.isPlayed }, within: .seconds(10_000)) else {
      throw BrokenLaw(description: "Mallory has not come to an end")
    }
    world.run(for: .seconds(60))  // Longer than any patience for her.
    try law(scene.isAnswerKnown, "an invitation does not come to an end")
    scene.ask()
    guard world.run(until: { scene.isAnswered }, within: .seconds(60)) else {
      throw BrokenLaw(description: "Bob is not answered any more; \(scene.problem ?? "")")
    }
    scene.part()
    guard world.run(until: { scene.leftovers != nil }, within: .seconds(200)) else {
      throw BrokenLaw(description: "Ann does not come to an end")
    }
    try law(scene.leftovers == [], "of Ann is left: \(scene.leftovers ?? [])")
    try law(scene.problem == nil, scene.problem ?? "")
    return scene.reached
  }
}
