import EarshotTesting
import ShoppingList
import Testing

@Suite("A shopping list")
struct ShoppingListTests {
  @Test("All copies become one, and what was crossed off stays off", .simulated(seeds: 40))
  func holds() throws { try check(Family.live(.remembered)) }

  @Test("A list that forgets what was crossed off is found out", .finds(), .simulated(seeds: 200))
  func forgets() throws { try check(Family.live(.forgotten)) }

  private func check(_ day: Family.Day) {
    World.current.sometimes(!day.removed.isEmpty, "something is crossed off")
    #expect(day.wasShared, "nobody has seen what another one wants")
    #expect(Set(day.lists).count == 1, "the copies differ")
    #expect(day.removed.isDisjoint(with: day.lists.joined()), "what was crossed off is back")
  }

  @Test("Without faults the copies are what a simple set would be", .simulated(seeds: 5))
  func model() async throws { try await ListTest().run(commands: 12) }
}
