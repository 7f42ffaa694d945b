#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
