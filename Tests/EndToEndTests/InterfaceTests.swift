import Earshot
import EarshotPOSIX
import Foundation
import Testing

/// Which interfaces of a computer a host uses.
@Suite(
  "The interfaces of a host", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct InterfaceTests {
  /// Waits until a host uses just some interfaces, each with as many addresses as it has or more.
  private func expect(_ names: [String], of host: POSIXHost) async throws {
    let (changes, continuation) = AsyncStream<Void>.makeStream()
    let observation = try await onLoop(of: host) {
      host.observeInterfaces { continuation.yield() }
    }
    var iterator = changes.makeAsyncIterator()
    while host.interfaces.map(\.name) != names { await iterator.next() }
    observation.cancel()
  }

  private func onLoop<Result: Sendable>(
    of host: POSIXHost, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await Task(executorPreference: host.executor.task) { try body() }.value
  }

  @Test(
    "Without names all are used that are up, and the loopback interface while there is no other")
  func unnamed() async throws {
    let hosts = try Namespaces(areCabled: false)
    let host = try await hosts.left.inside { try POSIXHost() }
    #expect(host.interfaces.map(\.name) == ["lo"])
    try hosts.layCable()
    try await expect([hosts.left.interface], of: host)
    try hosts.setCable(of: hosts.right, up: false)
    try await expect(["lo"], of: host)
    try hosts.setCable(of: hosts.right, up: true)
    try await expect([hosts.left.interface], of: host)
    await host.shutDown()
  }

  @Test("One that is named and not up is used as soon as it is, and no other meanwhile")
  func named() async throws {
    let hosts = try Namespaces()
    let (left, right) = (hosts.left, hosts.right)
    try hosts.setCable(of: left, up: false)
    let host = try await left.host()
    #expect(host.interfaces.isEmpty)
    try hosts.setCable(of: left, up: true)
    try await expect([left.interface], of: host)
    try hosts.setCable(of: right, up: false)
    try await expect([], of: host)
    await host.shutDown()
  }

  @Test("What changes while a host begins is not missed")
  func changedAtStart() async throws {
    let hosts = try Namespaces(areCabled: false)
    // Without IPv6, which makes its address later, all is said at once.
    try hosts.left.set("net.ipv6.conf.default.disable_ipv6", to: 1)
    let first = try await hosts.left.inside { try POSIXHost() }
    let witness = try await hosts.left.inside { try POSIXHost() }
    // The thread of the first and of the host is held up between their first look at the interfaces and what comes after it.
    let (begun, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let signal = first.makeSignal {
      begun.signal()
      goesOn.wait()
    }
    signal.raise()
    let host = try await hosts.left.inside {
      begun.wait()
      return try POSIXHost(beside: first)
    }
    #expect(host.interfaces.map(\.name) == ["lo"])
    try hosts.layCable()
    try await expect([hosts.left.interface], of: witness)  // All has been said then.
    goesOn.signal()
    let seen = try await onLoop(of: host) { host.interfaces.map(\.name) }
    #expect(seen == [hosts.left.interface])
    for host in [host, witness, first] { await host.shutDown() }
    withExtendedLifetime(signal) {}
  }

  @Test(
    "With names, a connection to an address of another interface is reset",
    .enabled(if: Shell.has("python3"), "needs python3 for the other side"))
  func otherAddress() async throws {
    let hosts = try Namespaces()
    let left = hosts.left
    let host = try await left.host()
    let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
    let all = try await left.inside { try POSIXHost() }
    try Shell.run(
      "ip", "-n", left.name, "link", "add", "other", "type", "veth", "peer", "name", "another")
    try Shell.run("ip", "-n", left.name, "addr", "add", "10.78.0.1/24", "dev", "other")
    for end in ["other", "another"] {
      try Shell.run("ip", "-n", left.name, "link", "set", end, "up")
    }
    let bob = try await Peer("Bob", trusting: .anyPeer, on: all)
    let script = """
      import socket, sys
      for place in sys.argv[1:]:
          address, port = place.split(":")
          connection = socket.create_connection((address, int(port)))
          connection.settimeout(0.5)
          try:
              print(place, "ended" if connection.recv(1) == b"" else "spoke", flush=True)
          except ConnectionResetError:
              print(place, "reset", flush=True)
          except TimeoutError:
              print(place, "open", flush=True)
      """
    let (port, otherPort) = (await ann.port, await bob.port)
    let dialler = try Program(
      running: left.prefix + [
        "python3", "-c", script, "10.78.0.1:\(port)", "127.0.0.1:\(port)",
        "\(left.address):\(port)", "10.78.0.1:\(otherPort)",
      ])
    #expect(await dialler.exitStatus() == 0)
    #expect(
      dialler.lines == [
        "10.78.0.1:\(port) reset", "127.0.0.1:\(port) reset", "\(left.address):\(port) open",
        "10.78.0.1:\(otherPort) open",
      ])
    await ann.stop()
    await bob.stop()
    await host.shutDown()
    await all.shutDown()
  }
}
