/// Which of the latest datagrams have come already: a sliding window over their counters.
///
/// Asked before a datagram is decrypted, and told only after it was authentic: a forgery must not shut the genuine one
/// out.
///
/// - SeeAlso: RFC 6479, RFC 4303 §3.4.3.
package struct ReplayWindow: Hashable, Sendable {
  /// How far back a datagram may be overtaken: 1,024.
  package static let size: UInt64 = 1_024
  /// The counter that follows the highest one that came.
  package private(set) var next: UInt64 = 0
  /// One bit for each counter modulo the size.
  private var seen = [UInt64](repeating: 0, count: Int(size / 64))

  /// A window into which nothing has come.
  package init() {}

  /// Whether a counter is neither too old nor was seen.
  package func admits(_ counter: UInt64) -> Bool {
    if counter >= next { return true }
    return next - counter <= Self.size && !isSet(counter)
  }

  /// Whether a counter would be the highest so far.
  package func isNewest(_ counter: UInt64) -> Bool { counter >= next }

  /// Notes an authentic datagram.
  ///
  /// - Precondition: ``admits(_:)``, and `counter < UInt64.max`.
  package mutating func insert(_ counter: UInt64) {
    precondition(admits(counter), "counter \(counter) is taken in twice")
    if counter >= next {
      if counter - next >= Self.size {
        for index in seen.indices { seen[index] = 0 }
      } else {
        for skipped in next..<counter { set(skipped, false) }
      }
      next = counter + 1
    }
    set(counter, true)
  }

  private func isSet(_ counter: UInt64) -> Bool {
    let place = counter % Self.size
    return seen[Int(place / 64)] >> (place % 64) & 1 == 1
  }

  private mutating func set(_ counter: UInt64, _ isSeen: Bool) {
    let place = counter % Self.size
    let bit: UInt64 = 1 << (place % 64)
    if isSeen { seen[Int(place / 64)] |= bit } else { seen[Int(place / 64)] &= ~bit }
  }
}
