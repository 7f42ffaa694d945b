import FuzzTargets
import TestKit
import Testing

extension FuzzTarget: CustomTestStringConvertible {
  /// The name alone.
  public var testDescription: String { name }
}

@Suite("Inputs that nobody meant to send", .timeLimit(.minutes(30)))
struct FuzzTargetsTests {
  @Test(
    "Every input that is kept, and what is like it, leaves the laws whole",
    arguments: FuzzTarget.all)
  func corpus(target: FuzzTarget) throws {
    let corpus = target.corpus
    #expect(!corpus.isEmpty, "no input is kept for \(target.name)")
    for input in corpus { try target.run(input) }
    let isSlow = ["session", "inviting", "tls", "scenario"].contains(target.name)
    let count = Fuzz.inputCount / (isSlow ? 500 : 100)
    try Fuzz.inputs(like: corpus, count: count) { input in
      do { try target.run(input) } catch {
        Issue.record("\(error), of \(input)")
        throw error
      }
    }
  }

  @Test(
    "What the laws of a target are about comes to pass in the inputs that are kept",
    arguments: FuzzTarget.all.filter { !$0.goals.isEmpty })
  func goals(target: FuzzTarget) throws {
    let reached = try target.corpus.reduce(into: Set<String>()) { $0.formUnion(try target.run($1)) }
    #expect(target.goals.subtracting(reached).sorted() == [])
  }
}
