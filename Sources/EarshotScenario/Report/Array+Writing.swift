import Foundation

extension [UInt8] {
  /// Writes all bytes to a descriptor, and waits where it has no room.
  ///
  /// - Parameter descriptor: Where to; also one that does not block.
  /// - Returns: Zero, or the `errno` of the write that failed.
  package func write(to descriptor: Int32) -> Int32 {
    var rest = self[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&room, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
