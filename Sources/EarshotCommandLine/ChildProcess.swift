import CEarshot
package import Foundation
import Synchronization

/// A program that this one has started, in a process group of its own; lives on when this is released.
///
/// Not Foundation's `Process`: that learns of a child's end through a socket, which other children inherit that are
/// started at the same moment, so that it hears nothing until they have ended too, and never where a firewall drops what
/// a host says to itself. Here a thread waits for each child, which has no descriptor but its three.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package struct Ending: Hashable, Sendable {
    /// What it ended with, or the number of the signal that ended it; -1 where nobody knows, as this program ignores
    /// `SIGCHLD`.
    package let status: Int32
    /// Whether a signal ended it.
    package let isBySignal: Bool
  }
  /// It could not be started.
  package struct Failure: Error, CustomStringConvertible {
    let program: String
    let number: Int32
    package var description: String { "\(program): \(String(cString: strerror(number)))" }
  }
  private struct State {
    var ending: Ending?
    var observers: [@Sendable (Ending) -> Void] = []
  }

  /// The system's number of the process.
  package let id: Int32
  private let state = Mutex(State())
  private let group = DispatchGroup()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: The program, sought in `PATH` unless it has a slash, and its arguments.
  ///   - environment: All of its environment, or `nil` for that of this program.
  ///   - input: What it reads from, or `nil` for nothing; it has a copy, of this one and of the next two.
  ///   - output: Where it writes to, or `nil` for nowhere.
  ///   - errors: Where it complains, or `nil` for nowhere.
  /// - Throws: What the system said against it.
  package init(
    _ words: [String], environment: [String: String]? = nil, input: FileHandle? = nil,
    output: FileHandle? = nil, errors: FileHandle? = nil
  ) throws(Failure) {
    let variables = environment ?? ProcessInfo.processInfo.environment
    var arguments = words.map { strdup($0) } + [nil]
    var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + settings { free(text) } }
    var id: Int32 = 0
    let failure = earshot_spawn(
      &id, &arguments, &settings, input?.fileDescriptor ?? -1, output?.fileDescriptor ?? -1,
      errors?.fileDescriptor ?? -1)
    guard failure == 0 else { throw Failure(program: words[0], number: failure) }
    self.id = id
    group.enter()
    Thread.detachNewThread { self.reap() }
  }

  /// How it ended, or `nil` while it runs.
  package var ending: Ending? { state.withLock { $0.ending } }

  /// Blocks the thread until it has ended.
  @discardableResult
  package func wait() -> Ending {
    group.wait()
    return ending ?? Ending(status: -1, isBySignal: false)
  }

  /// Has a closure told of the end, on a thread of this object's, or at once when it has ended.
  package func observeEnd(_ observer: @escaping @Sendable (Ending) -> Void) {
    let ending = state.withLock { state in
      if state.ending == nil { state.observers.append(observer) }
      return state.ending
    }
    if let ending { observer(ending) }
  }

  /// Sends it a signal, unless it has ended.
  package func signal(_ number: Int32) {
    state.withLock { if $0.ending == nil { kill(id, number) } }
  }

  /// Waits for the end, and makes it known.
  private func reap() {
    var what = siginfo_t()
    // Its number is its own until it is asked for its status, which nobody may signal it after.
    while waitid(P_PID, id_t(id), &what, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    let (ending, observers) = state.withLock { state in
      let (ending, observers) = (takeEnding(), state.observers)
      (state.ending, state.observers) = (ending, [])
      return (ending, observers)
    }
    group.leave()
    for observer in observers { observer(ending) }
  }

  private func takeEnding() -> Ending {
    var status: Int32 = 0
    var answer: Int32
    repeat { answer = waitpid(id, &status, 0) } while answer < 0 && errno == EINTR
    guard answer == id else { return Ending(status: -1, isBySignal: false) }
    let signal = status & 0x7f
    return Ending(status: signal == 0 ? status >> 8 & 0xff : signal, isBySignal: signal != 0)
  }
}
