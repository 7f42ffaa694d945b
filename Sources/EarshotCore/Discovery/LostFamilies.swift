/// The addresses of interfaces that have none of that family any more, until they are taken back.
///
/// What is announced of the other family does not replace them. They are taken back three times
/// within three seconds, as an announcement is repeated: an address of IPv6 that is new cannot be
/// sent from for a second or two (RFC 4862 §5.4). An interface that was gone meanwhile is still
/// known by its number.
struct LostFamilies: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    let interface: NetworkInterface
    let lost: [IPAddress]
    var sent = 0
    var next: Instant
  }
  private struct Announced: Hashable, Sendable {
    let index: UInt32
    let addresses: [IPAddress]
  }
  private static let repeats = 3
  private static let interfacesMax = 64

  private var entries: [Entry] = []
  /// The addresses that were announced last on each interface, the latest interfaces last.
  private var announced: [Announced] = []

  /// When something is to be taken back next.
  var next: Instant { entries.map(\.next).min() ?? .distantFuture }

  /// Notes the interfaces that there are from now on, whose addresses will be announced.
  mutating func note(_ interfaces: [NetworkInterface], at now: Instant) {
    entries = interfaces.compactMap { interface in
      let pending = entries.first { $0.interface.index == interface.index }?.lost ?? []
      let last = announced.first { $0.index == interface.index }?.addresses ?? []
      let lost = (pending + last).filter { !interface.has($0.family) }
      return lost.isEmpty ? nil : Entry(interface: interface, lost: lost, next: now)
    }
    let indices = interfaces.map(\.index)
    announced.removeAll { indices.contains($0.index) }
    announced += interfaces.map { Announced(index: $0.index, addresses: $0.addresses) }
    announced.removeFirst(max(0, announced.count - Self.interfacesMax))
  }

  /// Takes what is to be taken back now.
  mutating func takeDue(
    at now: Instant
  ) -> [(interface: NetworkInterface, addresses: [IPAddress])] {
    var due: [(interface: NetworkInterface, addresses: [IPAddress])] = []
    for index in entries.indices where entries[index].next <= now {
      due.append((entries[index].interface, entries[index].lost))
      entries[index].sent += 1
      entries[index].next = now + .seconds(1 << (entries[index].sent - 1))
    }
    entries.removeAll { $0.sent == Self.repeats }
    return due
  }
}
