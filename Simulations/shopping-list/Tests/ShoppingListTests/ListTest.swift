import EarshotTesting
import ShoppingList
import Synchronization
import Testing

/// Random additions and removals on two peers, each of which reaches the other before the next one.
struct ListTest: StatefulTest {
  /// A host, and its list as soon as that is there.
  final class Copy: Sendable {
    let host: SimulatedHost
    private let state = Mutex<ShoppingList?>(nil)

    init(_ host: SimulatedHost) { self.host = host }

    var list: ShoppingList? { state.withLock { $0 } }
    func set(_ list: ShoppingList) { state.withLock { $0 = list } }
  }
  /// A person, and what is added or removed.
  struct Change: Sendable, CustomStringConvertible {
    let person: Int
    let item: String
    var description: String { "\(person == 0 ? "ann" : "bob"): \(item)" }
  }

  var initialModel: Set<String> { [] }

  func makeSystem(in world: World) throws -> [Copy] {
    let copies = ["ann", "bob"].map { Copy(world.makeHost($0)) }
    for copy in copies {
      _ = copy.host.addTask("start") {
        copy.set(try await ShoppingList(copy.host.name, on: copy.host))
      }
    }
    world.run(for: .seconds(5))
    return copies
  }

  var rules: [StatefulRule<Set<String>, [Copy]>] {
    Rule(
      "add", argument: { _, random in change(&random) },
      inWorld: { world, copies, change in
        let copy = copies[change.person]
        copy.host.addTask("add") { await copy.list?.add(change.item) }
        world.run(for: .seconds(2))
      }, check: { model, change, _ in model.insert(change.item) })
    Rule(
      "remove", argument: { _, random in change(&random) },
      inWorld: { world, copies, change in
        let copy = copies[change.person]
        copy.host.addTask("remove") { await copy.list?.remove(change.item) }
        world.run(for: .seconds(2))
      }, check: { model, change, _ in model.remove(change.item) })
    Rule(
      "compare",
      inWorld: { world, copies in
        let tasks = copies.map { copy in
          copy.host.addTask("read") { await copy.list?.items ?? [] }
        }
        world.run(for: .milliseconds(1))
        return try tasks.map { try $0.value }
      },
      check: { model, lists in
        for list in lists { #expect(list == model.sorted()) }
      })
  }

  private func change(_ random: inout RandomStream) -> Change {
    let items = ["milk", "bread", "tea"]
    return Change(
      person: Int.random(in: 0...1, using: &random),
      item: items[Int.random(in: 0..<3, using: &random)])
  }
}
