#if os(Linux)
  import EarshotCore
  import EarshotNetwork
  import EarshotPOSIX
  import Foundation
  import TestKit
  import Testing

  /// Two hosts of Linux, each in a network namespace of its own, with a cable between them that a test harms.
  struct CablePair: DisturbedNetwork {
    var testDescription: String { "Linux over a cable" }

    func run(_ test: @escaping @Sendable (DisturbedHosts) async throws -> Void) async throws {
      let (ann, bob) = (
        try await NamespaceHost(number: 1, neighbour: 2),
        try await NamespaceHost(number: 2, neighbour: 1)
      )
      let cable = try Cable(from: ann.device, to: bob.device)
      let workbench = Workbench(ann: ann, bob: bob, cable: cable, gate: Gate())
      let folder = TemporaryFolder()
      defer { folder.remove() }
      let pair = TwoHosts(
        ann: try host(ann, folder), bob: try host(bob, folder), nowhere: .v4(0x0A4F_0063),
        canKeepFromLooping: true)
      let hosts = DisturbedHosts(pair) { try await workbench.change($0, $1) }
      let running = Task(executorPreference: ann.host.executor.task) {
        try await LoopbackPair.inTime(on: ann.host) { try await test(hosts) }
      }
      let result = await running.result
      workbench.gate.open()
      await ann.shutDown()
      await bob.shutDown()
      cable.cut()
      try result.get()
    }

    private func host(
      _ namespace: NamespaceHost, _ folder: TemporaryFolder
    ) throws -> TwoHosts.Host {
      let interface = try #require(namespace.host.interfaces.first)
      return TwoHosts.Host(
        network: namespace.host, address: .v4(0x0A4F_0000 + UInt32(namespace.number)),
        interface: interface.index,
        makeFolder: { try folder.make("\(namespace.number)/\($0)") })
    }
  }

  @Suite("Contract: disturbances of a real network")
  struct CablePairTests {
    @Test(
      "Every contract with disturbances is asked of Linux, too",
      .enabled(
        if: NetworkNamespace.areAvailable,
        "needs Linux, iproute2, /dev/net/tun, and the right to make network namespaces"))
    func isAsked() { #expect(disturbedNetworks.contains { $0 is CablePair }) }
  }

  /// Does to namespaces and their cable what disturbs them.
  private struct Workbench: Sendable {
    let ann: NamespaceHost
    let bob: NamespaceHost
    let cable: Cable
    let gate: Gate

    func change(_ disturbance: Disturbance, _ begins: Bool) async throws {
      switch disturbance {
      case .mute, .multicastLost, .duplicated, .corrupted, .truncated:
        cable.set(disturbance, begins)
      case .reset: cable.resetAll()
      case .frozen: begins ? try await freeze() : gate.open()
      case .portsTaken: try await takePorts(begins)
      case .unplugged(let side):
        try await namespace(side).perform {
          try NetworkNamespace.ip(
            "link set \(NetworkNamespace.interface) \(begins ? "down" : "up")")
        }
      case .readdressed(let side): try await readdress(namespace(side))
      case .routedAway: try await routeAway(begins)
      }
    }

    private func namespace(_ side: Disturbance.Side) -> NamespaceHost { side == .ann ? ann : bob }

    private func readdress(_ namespace: NamespaceHost) async throws {
      let (number, name) = (namespace.number, NetworkNamespace.interface)
      try await namespace.perform {
        try NetworkNamespace.ip("addr del 10.79.0.\(number)/24 dev \(name)")
        try NetworkNamespace.ip("addr add 10.79.0.\(number + 100)/24 dev \(name)")
      }
    }

    private func routeAway(_ begins: Bool) async throws {
      let address = "10.79.0.\(bob.number)/32"
      try await ann.perform {
        guard begins else { return try NetworkNamespace.ip("link del away0") }
        try NetworkNamespace.ip("tuntap add away0 mode tun")
        try NetworkNamespace.ip("link set away0 up")
        try NetworkNamespace.ip("route add \(address) dev away0")
      }
    }

    /// The only port that there is to choose is one that must not be.
    private func takePorts(_ begins: Bool) async throws {
      try await ann.perform {
        try NetworkNamespace.set("ipv4/ip_local_reserved_ports", to: begins ? "40000" : "")
        try NetworkNamespace.set(
          "ipv4/ip_local_port_range", to: begins ? "40000 40000" : "32768 60999")
      }
    }

    /// Keeps the thread of Bob's program from running, as SIGSTOP does with all threads of a process.
    private func freeze() async throws {
      let isHeld = Watched(false)
      Task(executorPreference: bob.host.executor.task) {
        gate.hold { isHeld.update { $0 = true } }
      }
      try await isHeld.wait { $0 }
    }
  }

  /// Holds a thread until it is opened.
  private final class Gate: Sendable {
    private let isOpening = DispatchSemaphore(value: 0)
    private let isHolding = Watched(false)

    /// Holds the thread that calls.
    func hold(_ begun: () -> Void) {
      isHolding.update { $0 = true }
      begun()
      isOpening.wait()
    }

    func open() {
      guard isHolding.state else { return }
      isHolding.update { $0 = false }
      isOpening.signal()
    }
  }
#endif
