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
  /// The tracks of a host that most events stand on.
  enum Shelf: Int, CaseIterable {
    case packets, timers, notes, counter

    var name: String {
      switch self {
      case .packets: "packets"
      case .timers: "timers"
      case .notes: "notes"
      case .counter: PerfettoTracks.counter
      }
    }
  }
  /// A host: its track and those below it, as far as they are in use.
  private struct Host {
    let root: Place
    var shelves = [Place?](repeating: nil, count: Shelf.allCases.count)
  }
  private var places: [String: Int] = [:]
  private var hosts: [Host] = []
  private var children: [Key: UInt64] = [:]
  private var new: [Description] = []
  private var count: UInt64 = 0

  /// The track of a host, or of the world.
  mutating func root(_ host: String) -> Place { hosts[place(of: host)].root }

  /// The number of a host, from 0.
  mutating func place(of host: String) -> Int {
    if let place = places[host] { return place }
    let uuid = add(host == Self.world ? "faults" : host, parent: nil)
    places[host] = hosts.count
    hosts.append(Host(root: Place(uuid: uuid)))
    return hosts.count - 1
  }

  /// One of the tracks below a host's.
  mutating func shelf(_ shelf: Shelf, of host: Int) -> Place {
    if let place = hosts[host].shelves[shelf.rawValue] { return place }
    let place = Place(uuid: add(shelf.name, parent: hosts[host].root.uuid))
    hosts[host].shelves[shelf.rawValue] = place
    return place
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
  private var bytes: [Int] = []
  private var open: Set<Int> = []

  /// Takes in what becomes of a packet of a host.
  ///
  /// - Returns: The bytes of the host that are on their way then, and whether it is the first arrival or loss.
  mutating func note(_ event: TraceEvent, of host: Int) -> (bytes: Int, isFirstEnd: Bool) {
    while bytes.count <= host { bytes.append(0) }
    let count = event.packet?.payloadBytes ?? 0
    if event.kind == .sent {
      open.insert(event.number)
      bytes[host] += count
      return (bytes[host], false)
    }
    let isFirst = event.cause.map { open.remove($0) != nil } ?? false
    if isFirst { bytes[host] -= count }
    return (bytes[host], isFirst)
  }
}
