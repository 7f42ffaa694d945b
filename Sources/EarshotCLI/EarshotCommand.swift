import EarshotCommandLine
import EarshotPOSIX
import Foundation

@main
struct EarshotCommand {
  static func main() {
    CrashNote.arm()
    let surroundings = Surroundings.process(open: openSockets)
    let tool = EarshotTool(
      console: .standard(), engine: .simulated, surroundings: surroundings)
    exit(tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  /// The network that this computer is on, or the part of it behind the named interfaces.
  private static func openSockets(_ interfaces: [String]) throws(NetworkError) -> OpenNetwork {
    let network = try POSIXNetwork(.init(interfaces: interfaces.isEmpty ? nil : interfaces))
    return OpenNetwork(network) { await network.shutDown() }
  }
}
