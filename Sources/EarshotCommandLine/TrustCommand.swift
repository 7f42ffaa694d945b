import Earshot
import EarshotCore
import EarshotScenario
import Foundation

/// `earshot trust`: lists whom a file keeps that `--trust` uses, adds somebody to it, and takes somebody out.
package struct TrustCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      let change = try Change(arguments)
      let store = FileTrustStore(path: try Self.path(of: arguments))
      do throws(TrustStoreError) {
        return try answer(change, in: store, inJSON: arguments.has("--json"))
      } catch {
        console.complain("earshot: \(error.description.escapedForTerminals)")
        return [.busy, .unwritable].contains(error.code) ? .unwritten : .violated
      }
    }
  }

  private static func path(of arguments: Arguments) throws(UsageError) -> String {
    guard arguments.operands.count == 1, let path = arguments.operands.first, !path.isEmpty else {
      throw UsageError("trust needs one file, the one of --trust: earshot trust known.json")
    }
    return path
  }

  /// What is to become of the file.
  private enum Change {
    case none
    case pin(PeerID, as: String)
    case forget(PeerID)

    init(_ arguments: Arguments) throws(UsageError) {
      let (pinned, forgotten) = (arguments[option: "--pin"], arguments[option: "--forget"])
      let name = arguments[option: "--name"]
      guard pinned == nil || forgotten == nil else {
        throw UsageError("--pin and --forget exclude each other")
      }
      guard (pinned == nil) == (name == nil) else {
        throw UsageError("--pin and --name belong together: --pin ID --name Ann")
      }
      if let pinned, let name {
        let peer = try PeerID(pinned, of: "--pin")
        do throws(DisplayNameError) { self = .pin(peer, as: try DisplayName(name).text) } catch {
          throw UsageError(sentence: error.description)
        }
      } else if let forgotten {
        self = .forget(try PeerID(forgotten, of: "--forget"))
      } else {
        self = .none
      }
    }
  }

  private func answer(
    _ change: Change, in store: FileTrustStore, inJSON: Bool
  ) throws(TrustStoreError) -> ExitCode {
    switch change {
    case .none: list(try store.records(), inJSON: inJSON)
    case .pin(let peer, let name): try store.keep(peer, as: name)
    case .forget(let peer):
      guard try store.forget(peer) else {
        console.complain("earshot: \(store.path.escapedForTerminals) does not keep \(peer)")
        return .violated
      }
    }
    return .held
  }

  private func list(_ records: [TrustRecord], inJSON: Bool) {
    for record in records {
      let since = record.since?.ISO8601Format()
      if inJSON {
        console.line(
          "{\"id\":\(record.peer.description.quotedForJSON),\"name\":\(record.name.quotedForJSON),"
            + "\"since\":\(since?.quotedForJSON ?? "null"),\"verified\":\(record.isVerified)}")
      } else {
        let remark = record.isVerified ? ", verified" : ""
        console.line(
          "\(record.peer)  \(record.name.escapedForTerminals)  (since \(since ?? "?")\(remark))"
        )
      }
    }
  }

  static let plan = CommandPlan(
    name: "trust", operands: "FILE [options]",
    summary: "List the peers of a trust file, and change it",
    details: """
      "chat", "advertise", "browse", "ping" and "pipe" keep the peers that they have
      met in the file of --trust FILE, by name, and refuse another key by such a name.
      Without an option, this prints the identifiers and names, a line each. Programs
      that use the file see changes at once. A peer without a stored identity
      (--identity) has a new key at each start, and is never recognised.
      """,
    options: [
      OptionPlan("--pin", "ID", help: "Keep the peer with this identifier, with --name"),
      OptionPlan("--name", "NAME", help: "The name of the peer of --pin"),
      OptionPlan("--forget", "ID", help: "Take a peer out; status 1 if it is not there"),
      OptionPlan("--json", help: "Print a line for programs for each peer"),
    ])
}
