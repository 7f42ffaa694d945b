import Testing

extension Program {
  /// Has the first of some people invite the others, and waits until everybody is linked with everybody.
  static func bringTogether(_ people: [(name: String, program: Program)]) async throws {
    let host = people[0].program
    for person in people.dropFirst() {
      await host.expect("\(person.name) is nearby")
      try host.type("/invite \(person.name)")
      await person.program.expect("\(people[0].name) wants to chat with you. Accept? (y/n)")
      try person.program.type("y")
    }
    for person in people {
      for other in people where other.name != person.name {
        await person.program.expect("\(other.name) joined this chat")
      }
    }
  }
}
