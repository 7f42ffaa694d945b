import CEarshot
import Foundation

/// A process that a benchmark starts: told what to do in its arguments and by lines, answers in lines.
///
/// Ends the benchmark when the process does not do what it was started for, since nothing can be measured then.
public final class ChildProcess {
  /// Where the threads of a benchmark's processes may run.
  public enum Cores: String, CaseIterable {
    /// Wherever the system puts them.
    case free
    /// One process a core, as far as there are cores.
    case split
    /// All on one core.
    case one
  }

  /// The system's number of the process.
  public let id: Int32
  private let name: String
  private let input: FileHandle
  private let output: UnsafeMutablePointer<FILE>
  private var hasEnded = false

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: What it is told, without its name.
  ///   - core: The core that it must stay on, if any.
  ///   - isSilent: Whether its complaints are thrown away.
  public init(
    _ path: String, _ arguments: [String], core: Int? = nil, isSilent: Bool = false
  ) {
    let pinned = core.map { ["taskset", "-c", String($0)] } ?? []
    let command = pinned + [path] + arguments
    name = command.joined(separator: " ")
    let (toChild, fromChild) = (Self.pipe(), Self.pipe())
    id = Self.spawn(command, input: toChild.read, output: fromChild.write, isSilent: isSilent)
    Foundation.close(toChild.read)
    Foundation.close(fromChild.write)
    input = FileHandle(fileDescriptor: toChild.write, closeOnDealloc: true)
    guard let output = fdopen(fromChild.read, "r") else { fail("no pipe to read from") }
    self.output = output
  }

  /// Starts this program once more.
  public convenience init(ourselves arguments: [String], core: Int? = nil) {
    self.init(Self.ownPath, arguments, core: core)
  }

  deinit {
    if !hasEnded { kill() }
    fclose(output)
  }

  /// The next line that it prints, or `nil` at the end.
  public func readLine() -> String? {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    guard getline(&line, &capacity, output) > 0, let line else { return nil }
    return String(cString: line).trimmingCharacters(in: .newlines)
  }

  /// What follows a word on the next line, which must begin with it.
  @discardableResult
  public func expect(_ word: String) -> [String] {
    let line = readLine()
    let fields = line?.split(separator: " ").map(String.init) ?? []
    guard fields.first == word else {
      fail("\(name) was to say \(word), and said \(line ?? "nothing more")")
    }
    return Array(fields.dropFirst())
  }

  /// All that it prints until a line is this word.
  public func lines(until word: String) -> [String] {
    var lines: [String] = []
    while let line = readLine(), line != word { lines.append(line) }
    return lines
  }

  /// Sends it a line.
  public func tell(_ line: String) { input.write(Data((line + "\n").utf8)) }

  /// Answers the process that started this one.
  public static func answer(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Has it stand still, whatever it does, until ``proceed()`` (SIGSTOP).
  public func standStill() { Foundation.kill(id, SIGSTOP) }

  /// Has it go on (SIGCONT).
  public func proceed() { Foundation.kill(id, SIGCONT) }

  /// Kills it (SIGKILL) and waits until it is gone.
  public func kill() {
    Foundation.kill(id, SIGKILL)
    _ = wait()
  }

  /// Waits until it has ended by itself, without a fault.
  public func finish() {
    let status = wait()
    require(status == 0, "\(name) ended with status \(status)")
  }

  /// Waits until it has ended.
  ///
  /// - Returns: Its status, 0 when all is well.
  func wait() -> Int32 {
    hasEnded = true
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status
  }

  private static var ownPath: String {
    #if os(Linux)
      "/proc/\(getpid())/exe"
    #else
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
  }

  /// A pipe whose ends no other child inherits.
  private static func pipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    require(Foundation.pipe(&ends) == 0, "no pipe")
    for end in ends { require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0, "no close-on-exec") }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ command: [String], input: Int32, output: Int32, isSilent: Bool
  ) -> Int32 {
    var words = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: Int32 = 0
    let complaints = isSilent ? -1 : STDERR_FILENO
    let error = earshot_spawn(&id, &words, environ, input, output, complaints)
    require(error == 0, "\(command[0]) cannot be started: error \(error)")
    return id
  }
}
