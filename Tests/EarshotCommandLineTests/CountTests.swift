import EarshotCommandLine
import Testing

@Suite("Counts in words")
struct CountTests {
  @Test(
    "Only one is singular",
    arguments: [(0, "0 kinds of failures"), (1, "1 kind of failure"), (2, "2 kinds of failures")])
  func kinds(count: Int, text: String) {
    #expect(String(counting: count, "kind of failure", "kinds of failures") == text)
  }

  @Test("A noun without a plural of its own gets an s")
  func regular() {
    #expect([0, 1, 12].map { String(counting: $0, "run") } == ["0 runs", "1 run", "12 runs"])
  }
}
