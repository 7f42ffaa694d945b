import Earshot
import EarshotScenario

/// `earshot identity`: makes an identity in a file, shows who it is, and compares it with who it should be.
package struct IdentityCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard arguments.operands.count == 1, let path = arguments.operands.first, !path.isEmpty else {
        throw UsageError("identity needs one file: earshot identity me.pem --create")
      }
      let wanted = try arguments[option: "--verify"].map { text throws(UsageError) in
        try PeerID(text, of: "--verify")
      }
      let store = FileIdentityStore(path: path)
      return answer(arguments, wanted, in: store)
    }
  }

  private func answer(
    _ arguments: Arguments, _ wanted: PeerID?, in store: FileIdentityStore
  ) -> ExitCode {
    do throws(IdentityError) {
      let identity =
        arguments.has("--create") ? try Identity.stored(in: store) : try store.load()
      guard let identity else {
        console.complain(
          "earshot: there is no \(store.path.escapedForTerminals); --create makes a new identity")
        return .violated
      }
      show(identity, as: arguments)
      guard let wanted, wanted != identity.id else { return .held }
      console.complain("earshot: that is another identity than \(wanted)")
      return .violated
    } catch {
      console.complain(
        "earshot: \(store.path.escapedForTerminals): "
          + "\(error.description.escapedForTerminals)\(error.remedy)")
      return error.code == .unwritable ? .unwritten : .violated
    }
  }

  private func show(_ identity: Identity, as arguments: Arguments) {
    if arguments.has("--json") {
      let key = identity.publicKeyPEM ?? ""
      console.line(
        "{\"id\":\(identity.id.description.quotedForJSON),\"short\":\(identity.id.short.quotedForJSON),"
          + "\"publicKey\":\(key.quotedForJSON)}")
    } else if arguments.has("--public-key") {
      console.out(identity.publicKeyPEM ?? "")
    } else {
      console.line("\(identity.id)")
    }
  }

  static let plan = CommandPlan(
    name: "identity", operands: "KEYFILE [options]",
    summary: "Show the identity in a file, or make one",
    details: """
      Prints the identifier, by which other peers know this one: the hash of its
      public key. The file holds the private key (Ed25519, PKCS #8 in PEM) and is
      refused when users other than its owner can read it. A program with the file
      can pose as that peer.
      "chat", "advertise", "browse", "ping" and "pipe" use it with --identity FILE.
      """,
    options: [
      OptionPlan("--create", help: "Make a new identity if the file is missing"),
      OptionPlan("--public-key", help: "Print the public key in PEM, as openssl reads it"),
      OptionPlan("--verify", "ID", help: "End with status 1 unless this is its identifier"),
      OptionPlan("--json", help: "Print one line for programs"),
    ])
}
