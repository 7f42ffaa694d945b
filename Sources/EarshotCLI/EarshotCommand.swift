import EarshotCommandLine
import Foundation

@main
struct EarshotCommand {
  static func main() {
    CrashNote.arm()
    let tool = EarshotTool(console: .standard(), engine: .simulated)
    exit(tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }
}
