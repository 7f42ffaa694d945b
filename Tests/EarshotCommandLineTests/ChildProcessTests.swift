import EarshotCommandLine
import Foundation
import Synchronization
import Testing

@Suite("Processes that are started", .timeLimit(.minutes(30)))
struct ChildProcessTests {
  /// What a program prints until nobody can print there any more.
  private func output(_ words: String..., environment: [String: String]? = nil) throws -> String {
    let pipe = Pipe()
    let child = try ChildProcess(
      words, environment: environment, output: pipe.fileHandleForWriting,
      errors: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    defer { child.wait() }
    return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }

  private func sh(_ script: String) throws -> ChildProcess.Ending {
    try ChildProcess(["sh", "-c", script]).wait()
  }

  @Test("Its end is a status or a signal, for all who wait, before and after it")
  func endings() throws {
    let ended = try sh("exit 7")
    #expect(ended.status == 7 && !ended.isBySignal)
    let killed = try sh("kill -KILL $$")
    #expect(killed.status == SIGKILL && killed.isBySignal)
    let pipe = Pipe()
    let child = try ChildProcess(
      ["sh", "-c", "read line; exit 3"], input: pipe.fileHandleForReading)
    let told = Mutex<[Int32]>([])
    let group = DispatchGroup()
    for _ in 0..<3 {
      group.enter()
      child.observeEnd { ending in
        told.withLock { $0.append(ending.status) }
        group.leave()
      }
      group.enter()
      Thread.detachNewThread {
        let status = child.wait().status
        told.withLock { $0.append(status) }
        group.leave()
      }
    }
    #expect(child.ending == nil)
    try pipe.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
    group.wait()
    #expect(told.withLock { $0 } == [Int32](repeating: 3, count: 6))
    #expect(child.ending?.status == 3)
    child.observeEnd { ending in told.withLock { $0.append(ending.status) } }
    #expect(told.withLock { $0.count } == 7)
    // Nothing is left of it in the system, and a signal reaches nobody else.
    #expect(waitpid(child.id, nil, WNOHANG) == -1 && errno == ECHILD)
    child.signal(SIGKILL)
  }

  @Test("One that runs holds nothing open that another one, or this program, was to close")
  func nothingInherited() throws {
    var ends: [Int32] = [-1, -1]
    // Without close-on-exec, as by a thread that is about to set it.
    #expect(Foundation.pipe(&ends) == 0)
    let sleeper = try ChildProcess(["sleep", "600"])
    close(ends[1])
    var byte: UInt8 = 0
    #expect(read(ends[0], &byte, 1) == 0)
    close(ends[0])
    // The fourth is the folder that ls reads.
    #expect(try output("ls", "/proc/self/fd") == "0\n1\n2\n3\n")
    #expect(sleeper.ending == nil)
    sleeper.signal(SIGTERM)
    #expect(sleeper.wait() == (try sh("kill -TERM $$")))
  }

  @Test("Many at once, from several threads, all end, each with its own status")
  func many() throws {
    let statuses = Mutex<[Int32: Int]>([:])
    let group = DispatchGroup()
    for thread in 0..<4 {
      group.enter()
      Thread.detachNewThread {
        for number in 0..<25 {
          let status = Int32(thread * 25 + number)
          let ending = try? ChildProcess(["sh", "-c", "exit \(status)"]).wait()
          statuses.withLock { $0[ending?.status ?? -1, default: 0] += 1 }
        }
        group.leave()
      }
    }
    group.wait()
    #expect(statuses.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, 1) }))
  }

  @Test("It has the environment that it is given, a group of its own, and no signal held back")
  func surroundings() throws {
    #expect(try output("env", environment: ["A": "b c"]) == "A=b c\n")
    let child = try ChildProcess(["sleep", "600"])
    #expect(getpgid(child.id) == child.id)
    child.signal(SIGKILL)
    child.wait()
    var (term, before) = (sigset_t(), sigset_t())
    sigemptyset(&term)
    sigaddset(&term, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &term, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #expect(try sh("kill -TERM $$; exit 0").status == SIGTERM)
    // What it reads, without an input, is nothing; what it prints, without an output, goes nowhere.
    #expect(try sh("read line && exit 1; echo hello && echo hello >&2").status == 0)
  }

  @Test("One that cannot be started says why")
  func failure() throws {
    #expect(throws: ChildProcess.Failure.self) { try ChildProcess(["/no/such/program"]) }
    do throws(ChildProcess.Failure) {
      _ = try ChildProcess(["/no/such/program"])
    } catch { #expect("\(error)" == "/no/such/program: No such file or directory") }
    do throws(ChildProcess.Failure) {
      _ = try ChildProcess(["/etc/passwd"])
    } catch { #expect("\(error)" == "/etc/passwd: Permission denied") }
  }
}
