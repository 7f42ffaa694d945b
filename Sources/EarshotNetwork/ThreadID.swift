#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The identity of a thread.
package struct ThreadID: Equatable, Sendable {
  /// The system's number for it, never 0.
  package let number: UInt

  /// Whether it is the thread that asks.
  package var isCurrent: Bool { number == Self.current.number }

  package static var current: ThreadID {
    #if canImport(Darwin)
      ThreadID(number: UInt(bitPattern: pthread_self()))
    #else
      ThreadID(number: UInt(pthread_self()))
    #endif
  }
}
