import Earshot
import EarshotScenario
import Foundation

/// `earshot ticket`: says what a ticket holds, and whether it is good.
package struct TicketCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard arguments.operands.count == 1, let text = arguments.operands.first, !text.isEmpty else {
        throw UsageError("ticket needs one ticket, such as \"earshot advertise --ticket\" prints")
      }
      do throws(EarshotError) {
        let ticket = try PeerTicket(parsing: text)
        arguments.has("--json") ? console.line(ticket.json) : show(ticket)
        if arguments.has("--qr") { console.show(ticket) }
        return .held
      } catch {
        console.complain("earshot: \(error.message.escapedForTerminals)")
        return .violated
      }
    }
  }

  private func show(_ ticket: PeerTicket) {
    console.line("peer      \(ticket.peer)")
    console.line("service   \(ticket.serviceType)")
    for endpoint in ticket.endpoints { console.line("endpoint  \(endpoint)") }
    console.line("expires   \(ticket.expiry?.ISO8601Format() ?? "never")")
  }

  static let plan = CommandPlan(
    name: "ticket", operands: "TICKET [options]",
    summary: "Show the peer of a ticket, and whether the ticket is valid",
    details: """
      A ticket has the identifier and the addresses of a peer, for peers that
      multicast does not reach. "earshot advertise --ticket", "pipe --listen --ticket"
      and /ticket in a chat make one; "ping", "pipe" and "chat" take one with
      --ticket. Ends with status 1 for a text that is not a ticket, was mistyped, or
      has expired. Nothing is dialled.
      """,
    options: [
      OptionPlan("--qr", help: "Show it as a QR code, too"),
      OptionPlan("--json", help: "Print one line for programs"),
    ])
}

extension PeerTicket {
  fileprivate var json: String {
    let places = endpoints.map(\.description.quotedForJSON).joined(separator: ",")
    return "{\"id\":\(peer.description.quotedForJSON),\"service\":\(serviceType.quotedForJSON),"
      + "\"endpoints\":[\(places)],\"expires\":\(expiry?.ISO8601Format().quotedForJSON ?? "null")}"
  }

  /// The ticket that is given to a command with an option.
  ///
  /// - Throws: What is wrong with the text, or that the ticket names no endpoint.
  init(of option: String, _ text: String) throws(UsageError) {
    let ticket: PeerTicket
    do throws(EarshotError) { ticket = try PeerTicket(parsing: text) } catch {
      throw UsageError("\(option): \(UsageError(sentence: error.message).reason)")
    }
    guard !ticket.endpoints.isEmpty else {
      throw UsageError("\(option): the ticket does not say where its peer listens")
    }
    self = ticket
  }
}

extension Console {
  /// Warns of a ticket that no peer can use.
  func warn(of ticket: PeerTicket) {
    guard ticket.endpoints.isEmpty else { return }
    complain(
      "earshot: warning: the ticket names no address, so it leads to no peer. Connect this host to a "
        + "network, or choose an interface with an address by --interface, and print a new ticket")
  }

  /// Shows a ticket as a QR code.
  func show(_ ticket: PeerTicket) {
    guard let code = QRCode(ticket.description) else {
      return complain("earshot: the ticket is too long for a QR code")
    }
    out(code.lines(isColoured: isColoured))
  }
}
