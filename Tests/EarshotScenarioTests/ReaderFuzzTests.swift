import EarshotCore
import EarshotScenario
import TestKit
import Testing

@Suite("Reading files that nobody wrote")
struct ReaderFuzzTests {
  private static let sample = """
    { name: "room", description: 'a "room"', duration: "20s", seed: 7, service: "chat", // all
      variables: { v: "1s", w: ["ann"], x: "${v + 2 * v}" }, groups: { g: { repeat: { i: "1...3" }, value: "p${i}" } },
      peers: ["ann", { name: "p", count: 3, accept: { after: "1s" }, info: { a: "b" },
        invite: [{ who: "ann", timeout: "5s", again: "1s", context: "\\u0041" }, "foundSmaller"],
        session: [{ patience: "5s", capacity: 8 }, { name: "b" }], read: { every: "1s" },
        disconnect: ["1s", { at: "2s", session: "b" }], rejoin: "3s", remove: { who: "ann", at: "4s" }, send: { to: ["ann"], size: "1KiB", count: 3 } }],
      links: { latency: "5ms", loss: "20%", exceptions: [{ between: ["ann", "p"], mtu: 1500 }] },
      faults: [{ at: "1s", kind: "partition", groups: [["ann"], "p"], for: "1.5s" },
        { at: "2s", kind: "suspend", peer: "p1", grace: "1s" }, { repeat: { i: "1...2" }, at: "${x + i * v}", kind: "heal" }],
      randomFaults: { count: 2, kinds: ["cut"], between: ["1s", "9s"] },
      expect: [{ connected: "all", by: "5s" }, { event: "ann sees p1 left", never: true },
        { outcome: "p1 -> ann", is: ["accepted"] }, { members: { p: 3 }, at: "9s" },
        { order: ["each p sees ann found", "ann, p sees each p joined"], links: "healthy" },
        { event: "each sees ann lost", after: "anyone sees p found", within: "1s", atMost: 3 },
        { members: { all: { atLeast: 1 } } }, { interrupted: "p", total: "1s" },
        { messages: { from: "p", to: "ann", atLeast: 0, latency: { p50: "1s" } } }],
    }
    """

  @Test(
    "Three thousand mutated files are read or refused, and every mistake has a place and a reason")
  func mutants() throws {
    _ = try Scenario(json5: Self.sample, file: "sample")
    var random = Seed(5).generator
    var refused = 0
    for _ in 0..<3_000 {
      let text = Self.mutant(using: &random)
      do throws(ScenarioError) {
        _ = try Scenario(json5: text, file: "mutant")
      } catch {
        refused += 1
        #expect(!error.mistakes.isEmpty)
        #expect(error.mistakes.allSatisfy { !$0.reason.isEmpty && ($0.line ?? 0) > 0 })
      }
    }
    #expect(refused > 1_500)
  }

  private static func mutant(using random: inout RandomStream) -> String {
    var bytes = Array(sample.utf8)
    for _ in 0...random.next() % 4 {
      let index = Int(random.next() % UInt64(bytes.count))
      let other = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 5 {
      case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(bytes[other], at: index)
      case 3: bytes.removeSubrange(index..<min(index + 20, bytes.count))
      default: bytes.swapAt(index, other)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
