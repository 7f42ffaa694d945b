import EarshotCore
import EarshotScenario
import Testing

@Suite("The scenarios that come with Earshot")
struct SimulationTests {
  @Test("Are there")
  func present() { #expect(SimulationFile.all.count >= 11) }

  @Test("Hold", arguments: SimulationFile.all)
  func hold(file: SimulationFile) throws {
    let scenario = try Scenario(json5: file.text, file: file.name)
    let verdict = ScenarioRun.run(scenario)
    #expect(verdict.exitCode == 0, "\(Report(verdict, file: file.name).text())")
    #expect(!scenario.expectations.isEmpty)
  }
}
