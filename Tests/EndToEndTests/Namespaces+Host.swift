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

  /// Brings this thread into the namespace.
  private func enter() throws {
    let descriptor = open("/var/run/netns/\(name)", O_RDONLY)
    defer { close(descriptor) }
    let function = try #require(dlsym(nil, "setns"))
    let setns = unsafeBitCast(function, to: (@convention(c) (Int32, Int32) -> Int32).self)
    try #require(setns(descriptor, 0) == 0)
  }
}
