#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension System {
  /// How many UDP sockets have a port; `nil` where the system does not say.
  ///
  /// Linux lists the sockets of the thread's network namespace: "   7: 00000000:14E9 00000000:0000 07 …".
  static func datagramSocketCount(at port: UInt16) -> Int? {
    guard let tableV4 = contents(of: "/proc/thread-self/net/udp") else { return nil }
    let tableV6 = contents(of: "/proc/thread-self/net/udp6") ?? []
    let digits = String(port, radix: 16, uppercase: true)
    let end = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    let rows = [tableV4, tableV6].flatMap { $0.split(separator: UInt8(ascii: "\n")) }
    return rows.count { row in
      let columns = row.split(separator: UInt8(ascii: " "), maxSplits: 2)
      return columns.count == 3 && columns[1].suffix(5).elementsEqual(end.utf8)
    }
  }

  /// What a file of the system says; `nil` if it cannot be read.
  private static func contents(of path: String) -> [UInt8]? {
    guard let descriptor = try? check({ open(path, O_RDONLY | O_CLOEXEC) }) else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = try? chunk.withUnsafeMutableBytes { buffer in
        try check { read(descriptor, buffer.baseAddress, buffer.count) }
      }
      guard let count else { return nil }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }
}
