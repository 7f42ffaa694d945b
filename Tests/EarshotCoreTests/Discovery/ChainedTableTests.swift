import EarshotCore
import TestKit
import Testing

@Suite("Chained table")
struct ChainedTableTests {
  @Test(
    "A table has what a dictionary has, and a number stays with its value", arguments: Seed.some(50)
  )
  func dictionary(seed: Seed) {
    var random = seed.generator
    var table = ChainedTable<UInt8, Int>()
    var values: [UInt8: (number: Int, value: Int)] = [:]
    for step in 0..<500 {
      let key = UInt8(random.below(60))
      switch (random.below(3), values[key]) {
      case (0, let known?):
        table.remove(known.number, leaving: -1)
        values[key] = nil
      case (_, let known?):
        table[known.number] = step
        values[key]?.value = step
      case (_, nil): values[key] = (table.add(step, for: key), step)
      }
      #expect(table.count == values.count)
      #expect(table.values.sorted() == values.values.map(\.value).sorted())
      for key: UInt8 in 0..<60 {
        #expect(table.number(of: key) == values[key]?.number)
        #expect(table[key] == values[key]?.value)
      }
    }
  }

  @Test("Numbers are given again")
  func numbers() {
    var table = ChainedTable<String, Int>()
    let first = table.add(1, for: "first")
    table.add(2, for: "second")
    table.remove(first, leaving: 0)
    #expect(table.add(3, for: "third") == first)
    #expect(table["first"] == nil)
    #expect(table["second"] == 2)
  }
}
