package import Earshot
import EarshotScenario

/// A command that meets other peers.
///
/// Written against any network, so that it runs over sockets and in a simulated world alike.
package protocol LiveCommand: Sendable {
  /// The command, as its help describes it.
  static var plan: CommandPlan { get }
  /// The name of the peer, and the interfaces it uses.
  var options: LiveOptions { get }

  /// The command that a command line asks for.
  init(_ arguments: Arguments, on console: Console) throws(UsageError)

  /// Does its work until it is done, or until its task is cancelled: then it says goodbye and ends.
  ///
  /// - Parameters:
  ///   - host: Where the others are; the task runs on its executor.
  ///   - keyboard: What is typed, and what becomes of the terminal.
  ///   - streams: Standard input and output as bytes, for a command that takes no lines from the keyboard.
  /// - Returns: The code that the process ends with.
  func run(
    on host: any NetworkHost, hearing keyboard: Keyboard, with streams: StandardStreams
  ) async -> ExitCode
}

extension LiveCommand {
  /// Runs the command in its surroundings, or shows its help.
  static func run(
    _ words: [String], on console: Console, in surroundings: Surroundings
  ) throws(UsageError) -> ExitCode {
    try plan.run(words, on: console) { arguments throws(UsageError) in
      let console = try console.logging(asJSON: arguments.has("--json"))
      return try surroundings.run(try Self(arguments, on: console))
    }
  }

  /// Does something as a peer, which says goodbye at the end.
  ///
  /// - Parameters:
  ///   - host: Where the peer lives.
  ///   - console: Told when something cannot be done, and of what is logged.
  ///   - isLogging: Whether the log is printed from the start; a command that prints on a terminal
  ///     of its own follows it itself.
  ///   - act: What the peer does.
  /// - Returns: What `act` returns, or `violated` if it throws.
  func asPeer(
    on host: any NetworkHost, _ console: Console, logging isLogging: Bool = true,
    _ act: (Peer) async throws(EarshotError) -> ExitCode
  ) async -> ExitCode {
    let identity: Identity?
    guard checkTrust(on: console) else { return .usage }
    do throws(IdentityError) {
      identity = try options.identity.map { path throws(IdentityError) in
        try Identity.stored(in: FileIdentityStore(path: path))
      }
    } catch {
      return console.fail(error, about: "--identity \(options.identity ?? "")")
    }
    do throws(EarshotError) {
      let peer = try await Peer(
        options.name ?? "peer", identity: identity, trusting: options.trust.policy,
        configuration: Peer.Configuration(port: options.port), on: host)
      // The name of the host would tell everybody nearby whose it is.
      if options.name == nil { try await peer.rename(to: "peer-\(peer.id.short)") }
      let log = isLogging ? console.log?.follow(peer, on: console) : nil
      let code = await Self.finish(peer, console, act)
      await log?.value
      return code
    } catch {
      return console.fail(error)
    }
  }

  /// Reads the file of `--trust`, so that a file that cannot be used is reported before any peer is
  /// met.
  func checkTrust(on console: Console) -> Bool {
    guard case .onFirstUse(let path) = options.trust else { return true }
    do throws(TrustStoreError) {
      _ = try FileTrustStore(path: path).records()
      return true
    } catch {
      let remedy =
        error.code == .damaged ? " Repair the file, or move it away to begin a new one" : ""
      console.complain(
        "earshot: --trust \(path.escapedForTerminals): \(error.description.escapedForTerminals)\(remedy)"
      )
      return false
    }
  }

  private static func finish(
    _ peer: Peer, _ console: Console, _ act: (Peer) async throws(EarshotError) -> ExitCode
  ) async -> ExitCode {
    let code: ExitCode
    do throws(EarshotError) { code = try await act(peer) } catch { code = console.fail(error) }
    await peer.stop(within: .seconds(2))
    return code
  }
}

extension Console {
  /// Says what cannot be done.
  fileprivate func fail(_ error: some Error & CustomStringConvertible) -> ExitCode {
    complain("earshot: \(error.description.escapedForTerminals)")
    return .violated
  }

  /// Reports an identity that cannot be used, with its file and the remedy.
  fileprivate func fail(_ error: IdentityError, about option: String) -> ExitCode {
    complain(
      "earshot: \(option.escapedForTerminals): \(error.description.escapedForTerminals)\(error.remedy)"
    )
    return .violated
  }
}

extension IdentityError {
  /// The next step, where the description does not name one.
  var remedy: String {
    switch code {
    case .noKey, .otherKind:
      " Move the file away, and make a new identity with \"earshot identity KEYFILE --create\""
    case .unreadable: " Check the permissions of the file and of its folder"
    case .unwritable: " Check the permissions of the folder, or name a file elsewhere"
    default: ""
    }
  }
}

extension Peer {
  /// Warns of what is not right with those whom this peer trusts, and of what keeps discovery from
  /// finding peers, until it ends.
  nonisolated func warn(on console: Console) {
    warn(of: { $0.warning ?? $0.obstacle }) { console.complain("earshot: \($0)") }
  }

  /// Reports the events for which there is a sentence, until this peer ends.
  nonisolated func warn(
    of sentence: @escaping @Sendable (PeerEvent) -> String?,
    by report: @escaping @Sendable (String) -> Void
  ) {
    let events = events
    addTask("warnings") {
      for await event in events { if let sentence = sentence(event) { report(sentence) } }
    }
  }
}

extension PeerEvent {
  /// What people have to know of those whom a peer trusts, safe to print.
  var warning: String? {
    switch self {
    case .keyChanged(let change):
      "\"\(change.name.escapedForTerminals)\" was refused: its key (\(change.peer)) is not the key that is stored "
        + "for that name (\(change.known.map(\.description).joined(separator: ", "))). Possible causes: "
        + "another person of that name, a new device, or an attack"
    case .identityInUse(let address):
      "the host at \(address) announces the key of this peer too, so others reach only one of the two. "
        + "Give one of them a key of its own: earshot identity KEYFILE --create"
    case .trustStoreFailed(let error): error.description.escapedForTerminals
    default: nil
    }
  }

  /// The reason why peers cannot be found, or not all of them.
  fileprivate var obstacle: String? {
    if case .unavailable(let problem) = self { problem.description } else { nil }
  }
}

/// Where commands meet other peers.
///
/// A value with a closure, as the engine is: the program brings sockets, a keyboard and Ctrl-C.
package struct Surroundings {
  /// Runs a command until it ends.
  package var run: (any LiveCommand) throws(UsageError) -> ExitCode

  /// Surroundings from their one function.
  package init(run: @escaping (any LiveCommand) throws(UsageError) -> ExitCode) { self.run = run }
}
