// What a simulated process does and must not do, one thing a word on the command line.
import CCapturedSubject
import EarshotProcess
import Glibc

let word = CommandLine.arguments.dropFirst().first ?? ""
let argument = CommandLine.arguments.dropFirst(2).first ?? ""
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
  case "call":
    if captured_subject_misdeed(argument) == 0 { print("no such call") }
  case "answers":
    try await Task.sleep(for: .seconds(2))
    captured_subject_print_answers(argument)
    fflush(nil)
  case "harmless":
    captured_subject_print_harmless()
    fflush(nil)
  case "idle": try await Misdeed.waitForever(in: world)
  default: try await Misdeed.all[word]?()
  }
  print("ended at \(world.now)")
}
