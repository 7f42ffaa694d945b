import EarshotCommandLine
import EarshotPOSIX
import Foundation

@main
struct EarshotCommand {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    Console.secureDescriptors()
    checkDescriptors()
    if words == [RunServer.word] { serve() }
    CrashNote.arm()
    let console = Console.standard()
    let tool = EarshotTool(
      console: console, engine: .simulated, batchEngine: .processes(of: program),
      surroundings: .process(until: console.refusal, open: openSockets), interrupts: .process)
    exit(tool.run(words).rawValue)
  }

  /// Ends the process with a sentence if it may have too few descriptors to work.
  private static func checkDescriptors() {
    do throws(NetworkError) { try DescriptorLimit.secure() } catch {
      Console.standard().complain(
        "earshot: \(error). Raise the limit with \"ulimit -n 1024\", and start again")
      exit(ExitCode.violated.rawValue)
    }
  }

  /// This program, also if its file was replaced meanwhile.
  private static var program: URL {
    let path = "/proc/self/exe"
    let isThere = FileManager.default.fileExists(atPath: path)
    return isThere
      ? URL(fileURLWithPath: path)
      : Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
  }

  /// Runs scenarios for another process of this program.
  private static func serve() -> Never {
    var server = RunServer(.simulated)
    server.serve(from: STDIN_FILENO, to: STDOUT_FILENO) { _exit(ExitCode.held.rawValue) }
    _exit(ExitCode.usage.rawValue)
  }

  /// The network that this computer is on, or the part of it behind the named interfaces.
  private static func openSockets(_ interfaces: [String]) throws(NetworkError) -> OpenNetwork {
    let host = try POSIXHost(.init(interfaces: interfaces.isEmpty ? nil : interfaces))
    return OpenNetwork(host) { await host.shutDown() }
  }
}
