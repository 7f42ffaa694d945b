import EarshotCommandLine
import Foundation

@main
struct EarshotCommand {
  static func main() {
    CrashNote.arm()
    let surroundings = Surroundings { _ throws(UsageError) in
      throw UsageError("real sockets are not there yet")
    }
    let tool = EarshotTool(
      console: .standard(), engine: .simulated, surroundings: surroundings)
    exit(tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }
}
