#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Which thread we are on.
struct ThreadID: Equatable {
  private let number: UInt

  static var current: ThreadID {
    #if canImport(Darwin)
      ThreadID(number: UInt(bitPattern: pthread_self()))
    #else
      ThreadID(number: UInt(pthread_self()))
    #endif
  }
}

/// Where last words go.
enum StandardError {
  static func write(_ text: String) {
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
