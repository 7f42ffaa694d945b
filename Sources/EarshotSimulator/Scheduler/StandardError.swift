#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where last words go.
package enum StandardError {
  /// Ends the process with a message, which an optimised build would keep to itself.
  package static func trap(_ message: String) -> Never {
    write(message + "\n")
    preconditionFailure(message)
  }

  package static func write(_ text: String) {
    let bytes = Array(text.utf8)
    #if canImport(Glibc)
      _ = Glibc.write(2, bytes, bytes.count)
    #elseif canImport(Musl)
      _ = Musl.write(2, bytes, bytes.count)
    #else
      _ = Darwin.write(2, bytes, bytes.count)
    #endif
  }
}
