import EarshotScenario
import Testing

@Suite("Spelling")
struct SpellingTests {
  @Test(
    "A slip of the fingers is counted once",
    arguments: [
      ("loss", "loss", 0), ("los", "loss", 1), ("lsos", "loss", 1), ("lass", "loss", 1),
      ("latencies", "latency", 3), ("", "abc", 3), ("LOSS", "loss", 0),
    ])
  func slips(word: String, other: String, count: Int) {
    #expect(Spelling.slips(from: word, to: other) == count)
    #expect(Spelling.slips(from: other, to: word) == count)
  }

  @Test("What is far from every word is taken for none of them")
  func far() {
    #expect(Spelling.nearest(to: "quux", among: ["latency", "loss"]) == nil)
    #expect(Spelling.nearest(to: "x", among: []) == nil)
    #expect(Spelling.nearest(to: "latenzy", among: ["loss", "latency"]) == "latency")
  }
}
