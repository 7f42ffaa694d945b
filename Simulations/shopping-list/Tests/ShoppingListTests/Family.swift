import EarshotTesting
import ShoppingList

/// Three people who write on one list and cross things off, while faults come between them.
enum Family {
  private static let names = ["ann", "bob", "cy"]

  /// What came of a day.
  struct Day {
    /// What is on each copy of the list in the end.
    var lists: [[String]]
    /// What somebody has crossed off.
    var removed: Set<String>

    /// Whether there is something on a list that somebody else has put there.
    var wasShared: Bool {
      zip(names, lists).contains { name, list in list.contains { !$0.hasPrefix(name) } }
    }
  }

  /// Lives through two minutes in the world of the test.
  static func live(_ removals: ShoppingList.Removals) throws -> Day {
    let world = World.current
    let people = names.map { name in
      let host = world.makeHost(name)
      return host.addTask(name) { try await shop(name, on: host, removals) }
    }
    // The seed decides which faults there are, and when. The last one is over after 70 seconds.
    world.execute(
      drawing: RandomFaults(
        count: 8, kinds: [.cut, .partition, .isolate, .clog, .link],
        between: .seconds(2) ... .seconds(40), lasting: .seconds(1) ... .seconds(30)))
    world.run(for: .seconds(150))
    let days = try people.map { try $0.value }
    return Day(lists: days.map(\.list), removed: Set(days.flatMap(\.removed)))
  }

  /// One person's day: half a minute of changes, and time for the copies to become one.
  private static func shop(
    _ name: String, on host: SimulatedHost, _ removals: ShoppingList.Removals
  ) async throws -> (list: [String], removed: [String]) {
    let list = try await ShoppingList(name, on: host, removals: removals)
    var random = host.random("shopping")
    var removed: [String] = []
    for number in 1...6 {
      try await host.sleep(for: .milliseconds(Int.random(in: 1_000...7_000, using: &random)))
      if number.isMultiple(of: 3), let item = await list.items.randomElement(using: &random) {
        await list.remove(item)
        removed.append(item)
      } else {
        await list.add("\(name)'s wish \(number)")
      }
      let items = await list.items
      host.always(Set(items).count == items.count, "nothing is on a copy twice")
      host.sometimes(items.contains { !$0.hasPrefix(name) }, "a wish of another is on a copy")
    }
    try await host.sleep(until: .zero + .seconds(130))
    return (await list.items, removed)
  }
}
