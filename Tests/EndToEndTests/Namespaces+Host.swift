import EarshotPOSIX
import Foundation
import Testing

extension Namespaces.Side {
  /// The network as a program of this namespace sees it: threads stay where they were started.
  func host() async throws -> POSIXHost {
    try await inside { try POSIXHost(POSIXHost.Configuration(interfaces: [interface])) }
  }

  /// What something leads to on a thread of this namespace.
  func inside<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Swift.Result {
            try enter()
            return try body()
          })
      }
    }
  }

  /// Holds the port of multicast DNS for IPv6, without a share for anybody, until the program's input ends.
  func holdPortOfIPv6() async throws -> Program {
    let script = """
      import socket, sys
      holder = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
      holder.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
      holder.bind(("", 5353))
      print("held", flush=True)
      sys.stdin.read()
      """
    let program = try Program(running: prefix + ["python3", "-c", script])
    await program.expect("held")
    return program
  }

  /// Brings this thread into the namespace.
  private func enter() throws {
    let descriptor = open("/var/run/netns/\(name)", O_RDONLY)
    defer { close(descriptor) }
    let function = try #require(dlsym(nil, "setns"))
    let setns = unsafeBitCast(function, to: (@convention(c) (Int32, Int32) -> Int32).self)
    try #require(setns(descriptor, 0) == 0)
  }
}
