import EarshotSimulator
import TestKit
import Testing

@Suite("Sets of positions")
struct PositionSetTests {
  @Test("Equal sets are equal, however they came about", arguments: Seed.some(10))
  func equal(seed: Seed) {
    var random = seed.generator
    var (set, members) = (PositionSet(), Set<Int>())
    for _ in 0..<600 {
      let position = Int(random.below(200))
      if members.remove(position) == nil || random.below(8) > 0 {
        set.insert(position)
        members.insert(position)
      } else {
        set.remove(position)
      }
      var straight = PositionSet()
      for member in members.sorted() { straight.insert(member) }
      #expect(set == straight)
    }
    for member in members { set.remove(member) }
    #expect(set == PositionSet())
  }
}
