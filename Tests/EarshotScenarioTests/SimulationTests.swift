import EarshotCore
import EarshotScenario
import TestKit
import Testing

@Suite("The scenarios that come with Earshot")
struct SimulationTests {
  @Test("Are there")
  func present() { #expect(SimulationFile.all.count >= 9) }

  @Test("Hold, twice in the same way", arguments: SimulationFile.all)
  func hold(file: SimulationFile) throws {
    let scenario = try Scenario(json5: file.text, file: file.name)
    let verdict = ScenarioRun.runTwice(scenario)
    #expect(verdict.exitCode == 0, "\(Report(verdict, file: file.name).text())")
    #expect(!scenario.expectations.isEmpty)
  }

  @Test("Are read or refused, whatever is changed in them")
  func mutated() throws {
    let samples = SimulationFile.all.map { Array($0.text.utf8) }
    var (random, read, refused) = (Seed(1).generator, 0, 0)
    for index in 0..<10_000 {
      let text = Mutation.of(samples[index % samples.count], using: &random)
      do throws(ScenarioError) {
        _ = try Scenario(json5: text, file: "mutant.json5")
        read += 1
      } catch {
        #expect(!error.mistakes.isEmpty)
        refused += 1
      }
    }
    #expect(read > 0 && refused > 0)
  }
}

/// A text with a few bytes changed, left out, doubled or put elsewhere.
enum Mutation {
  static func of(_ sample: [UInt8], using random: inout RandomStream) -> String {
    var bytes = sample
    for _ in 0..<(1 + random.below(4)) { change(&bytes, using: &random) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func change(_ bytes: inout [UInt8], using random: inout RandomStream) {
    guard !bytes.isEmpty else { return }
    let start = Int(random.below(UInt64(bytes.count)))
    let range = start..<min(bytes.count, start + 1 + Int(random.below(40)))
    switch random.below(5) {
    case 0: bytes[start] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes.removeSubrange(range)
    case 2: bytes.insert(contentsOf: Array(bytes[range]), at: start)
    case 3: bytes[start] = Array("{}[]:,\"'0-.e/*\\".utf8)[Int(random.below(15))]
    default:
      let piece = Array(bytes[range])
      bytes.removeSubrange(range)
      bytes.insert(contentsOf: piece, at: Int(random.below(UInt64(bytes.count + 1))))
    }
  }
}
