package import Earshot
import EarshotCore
import EarshotNetwork
import EarshotScenario

/// `earshot doctor`: reports why peers do not find or reach each other, and how to fix it.
package struct DoctorCommand: LiveCommand {
  package let options: LiveOptions
  private let isJSON: Bool
  private let patience: Duration
  private let target: PeerTarget?
  private let console: Console

  /// The command that a command line asks for.
  package init(_ arguments: Arguments, on console: Console) throws(UsageError) {
    options = try LiveOptions(arguments, service: Self.service)
    isJSON = arguments.has("--json")
    patience = try arguments.seconds("--timeout", else: .seconds(3), in: 0.5...60)
    target = try Self.target(arguments)
    self.console = console
  }

  private static func target(_ arguments: Arguments) throws(UsageError) -> PeerTarget? {
    let operands = arguments.operands
    guard operands.count <= 1, operands.first != "" else {
      throw UsageError("doctor takes one peer at most: its name, or its identifier")
    }
    guard let text = arguments[option: "--ticket"] else {
      return operands.first.map { .nearby($0) }
    }
    guard operands.isEmpty else {
      throw UsageError("--ticket names the peer; leave the name out")
    }
    return .ticket(try PeerTicket(of: "--ticket", text))
  }

  /// Checks the host and its peers, and reports the findings.
  package func run(
    on host: any NetworkHost, hearing keyboard: Keyboard, with streams: StandardStreams
  ) async -> ExitCode {
    // A simulated host has no files that describe it.
    var facts =
      host.instrumentation == nil
      ? HostFacts.ofSystem(
        seeing: host.interfaces, among: options.interfaces, files: options.files)
      : HostFacts(simulated: host.interfaces)
    if options.port > 0 { facts.peerPorts = options.port...options.port }
    guard target == nil || checkTrust(on: console) else { return .usage }
    let identity: Identity?
    do throws(IdentityError) { identity = try self.identity } catch {
      console.complain(
        "earshot: --identity: \(error.description.escapedForTerminals)\(error.remedy)")
      return .violated
    }
    let probe = DoctorProbe(
      host: host, services: services, target: target, identity: identity,
      trust: target == nil ? .anyPeer : options.trust.policy, patience: patience,
      console: console)
    do throws(EarshotError) {
      guard try await probe.add(to: &facts) else { return interrupted() }
    } catch {
      if Task.isCancelled { return interrupted() }
      console.complain("earshot: \(error.description.escapedForTerminals)")
      return .violated
    }
    if host.instrumentation == nil { facts.noteNeighbours() }
    return report(facts)
  }

  /// The identity that dials a peer which was asked for; a missing file is not created.
  private var identity: Identity? {
    get throws(IdentityError) {
      guard target != nil, let path = options.identity else { return nil }
      return try FileIdentityStore(path: path).load()
    }
  }

  private var ticket: PeerTicket? {
    if case .ticket(let ticket) = target { ticket } else { nil }
  }

  /// The services to look for: that of `--service` and of a ticket, and those of the commands.
  private var services: [String] {
    [options.service] + [ticket?.serviceType].compactMap(\.self) + [
      Self.service, ChatOptions.service, PipeOptions.service, FileTransfers.service,
    ]
  }

  private func interrupted() -> ExitCode {
    console.complain(
      "earshot: interrupted before the end, so there is no result; run \"earshot doctor\" again")
    return .interrupted
  }

  private func report(_ facts: HostFacts) -> ExitCode {
    let findings = facts.findings
    for finding in findings { console.line(isJSON ? finding.json : finding.text) }
    if !isJSON { console.line(Self.summary(of: facts, findings)) }
    return findings.map(\.severity).max()?.exitCode ?? .held
  }

  private static func summary(of facts: HostFacts, _ findings: [Finding]) -> String {
    let reached = facts.sightings.count { $0.answer == .reached }
    let peers = "\(String(counting: facts.sightings.count, "peer")) dialled, \(reached) reached"
    switch findings.map(\.severity).max() {
    case .error: return "An obstacle keeps peers apart (\(peers))"
    case .warning: return "An obstacle may keep some peers apart (\(peers))"
    case .note, nil: break
    }
    let unread = facts.isFirewallRead ? "" : "; the rules of the firewall could not be read"
    let unseen =
      facts.sightings.isEmpty ? "; to dial a peer that was not found, use --ticket TEXT" : ""
    return "No obstacle was found (\(peers))\(unread)\(unseen)"
  }

  private static let service = "earshot"

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "doctor", operands: "[PEER] [options]",
    summary: "Find the causes that keep peers apart, and their remedies",
    details: """
      Looks at the network interfaces (those of --interface, or all), routes and
      tunnels, the programs that hold UDP port 5353, containers and the clock. Reads
      the firewall (as root: nft, iptables) for multicast DNS and for the ports of
      peers (that of --port, or those that the system gives). Sends to the group of
      multicast DNS and listens for the return of its packets. Dials the peer of
      --ticket, and every peer of every service that it finds. A rule of the firewall
      that it cannot evaluate is a warning.

      PEER is the beginning of a name or of an identifier. The last finding explains
      why this peer, or that of --ticket, is not reached: it was never discovered, or
      is gone; its addresses, each with its error; it does not trust this peer, which
      --identity, --trust and --pin describe; several hosts have its key; it has
      another version. It is not invited, so its program learns nothing of it.

      exit status:
        0    no obstacle was found
        1    an obstacle was found
        6    there may be an obstacle
        130  Ctrl-C came before the end; there is no result
      """,
    options: [
      OptionPlan("--json", help: "Print one JSON object a line, each with its remedy"),
      OptionPlan(
        "--ticket", "TEXT",
        help: "Also dial the peer of a ticket, which multicast may\nnot reach, and explain it"),
      OptionPlan("--timeout", "SECONDS", help: "How long to listen (default: 3)"),
    ] + LiveOptions.plans(service: service, createsIdentity: false))
}

extension HostFacts {
  /// The facts about a simulated host.
  fileprivate init(simulated interfaces: [NetworkInterface]) {
    self.init()
    self.interfaces = interfaces.map { seen in
      var interface = Interface(seen.name)
      interface.carriesMulticast = seen.supportsMulticast
      (interface.hasIPv4, interface.hasIPv6) = (seen.has(.v4), seen.has(.v6))
      interface.networks = seen.networks
      return interface
    }
    if let first = interfaces.first { routes.add("default", through: first.name) }
  }
}
