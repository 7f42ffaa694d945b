// What a simulated process does and must not do, one thing a word on the command line.
import EarshotProcess

let word = CommandLine.arguments.dropFirst().first ?? ""
if word == "early" { Early.use() }
if word == "hosts" {
  SimulatedProcess.run(configuration: WorldConfiguration(replay: "again")) { world in
    try await Conduct.onHosts(of: world)
  }
}
SimulatedProcess.run { world in
  print("begun")
  switch word {
  case "everything": try await Conduct.everything()
  case "speed": try await Conduct.speed()
  case "error": throw Conduct.Failure()
  case "idle": try await Misdeed.waitForever(in: world)
  default: try await Misdeed.all[word]?()
  }
  print("ended at \(world.now)")
}
