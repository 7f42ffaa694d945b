/// The tracks of a trace of Perfetto: one a host, one for the world, and those below them.
struct PerfettoTracks {
  /// A track, as it is known by its number.
  struct Place { let uuid: UInt64 }

  /// A track that has to be described before it is used.
  struct Description {
    let uuid: UInt64
    let parent: UInt64?
    let name: String
    let rank: Int

    func write(into message: inout ProtobufWriter) {
      message.write(PerfettoFields.Track.uuid, uuid)
      message.write(PerfettoFields.Track.name, name)
      if let parent { message.write(PerfettoFields.Track.parent, parent) }
      message.write(PerfettoFields.Track.ordering, PerfettoFields.Track.isRanked)
      message.write(PerfettoFields.Track.rank, UInt64(rank))
      guard name == PerfettoTracks.counter else { return }
      message.write(PerfettoFields.Track.counter) { counter in
        counter.write(PerfettoFields.Counter.unit, PerfettoFields.Counter.bytes)
      }
    }
  }
  private struct Key: Hashable {
    let parent: UInt64
    let name: String
  }
  private var roots: [String: UInt64] = [:]
  private var children: [Key: UInt64] = [:]
  private var new: [Description] = []
  private var count: UInt64 = 0

  /// The track of a host, or of the world.
  mutating func root(_ host: String) -> Place {
    if let uuid = roots[host] { return Place(uuid: uuid) }
    let name = host == Self.world ? "faults" : host
    let uuid = add(name, parent: nil)
    roots[host] = uuid
    return Place(uuid: uuid)
  }

  /// A track below that of a host, or of the world.
  mutating func child(_ name: String, of host: String) -> Place {
    let key = Key(parent: root(host).uuid, name: name)
    if let uuid = children[key] { return Place(uuid: uuid) }
    let uuid = add(name, parent: key.parent)
    children[key] = uuid
    return Place(uuid: uuid)
  }

  /// The tracks that were not described yet.
  mutating func takeNew() -> [Description] {
    guard !new.isEmpty else { return [] }
    defer { new = [] }
    return new
  }

  private mutating func add(_ name: String, parent: UInt64?) -> UInt64 {
    count += 1
    new.append(Description(uuid: count, parent: parent, name: name, rank: Int(count)))
    return count
  }

  /// Stands for the world among the names of hosts.
  static let world = ""
  /// The track that counts.
  static let counter = "bytes on their way"
}

/// How many bytes of payload each host has on their way.
struct PayloadsInFlight {
  private var bytes: [String: Int] = [:]
  private var open: Set<Int> = []

  /// Takes in what becomes of a packet.
  ///
  /// - Returns: The bytes of its sender that are on their way then, and whether it is the first arrival or loss.
  mutating func note(_ event: TraceEvent) -> (bytes: Int, isFirstEnd: Bool) {
    let count = event.packet?.payloadBytes ?? 0
    if event.kind == .sent {
      open.insert(event.number)
      bytes[event.from, default: 0] += count
      return (bytes[event.from] ?? 0, false)
    }
    let isFirst = event.cause.map { open.remove($0) != nil } ?? false
    if isFirst { bytes[event.from, default: 0] -= count }
    return (bytes[event.from] ?? 0, isFirst)
  }
}
