import EarshotCore
import TestKit
import Testing

@Suite("Advertisers and browsers in one room")
struct DiscoveryExchangeTests {
  /// A room with so many peers, each of whom advertises and browses.
  private func room(_ count: Int, seed: Seed) throws -> DiscoveryRoom {
    var room = DiscoveryRoom(seed: seed)
    for index in 0..<count {
      room.addHost(.v4(0x0A00_0001 + UInt32(index)))
    }
    return room
  }

  private func enter(_ room: inout DiscoveryRoom, _ index: Int) throws {
    let id = Ann.peer(UInt64(index))
    room.advertise(try Ann.announcement(id: id), on: index)
    room.browse(try ServiceType("chat"), as: id, on: index)
  }

  @Test("On a good network everybody finds everybody within 130 ms", arguments: Seed.some(20))
  func quick(seed: Seed) throws {
    var room = try room(5, seed: seed)
    for index in 0..<5 { try enter(&room, index) }
    room.run(for: .ms(130))
    #expect(room.browsers.allSatisfy { $0.present.count == 4 && $0.nonsense == 0 })
  }

  @Test(
    "Who comes later is found at once, and finds the others within half a second",
    arguments: Seed.some(20))
  func latecomer(seed: Seed) throws {
    var random = seed.generator
    var room = try room(3, seed: seed)
    try enter(&room, 0)
    try enter(&room, 1)
    room.run(for: .seconds(10) + random.duration(below: .seconds(1_000)))
    try enter(&room, 2)
    room.run(for: .ms(10))
    #expect(room.browsers[0].present.count == 2 && room.browsers[1].present.count == 2)
    room.run(for: .ms(490))
    #expect(room.browsers[2].present.count == 2)
  }

  @Test(
    "With loss, jitter and duplicates everybody is found all the same, and nobody lost",
    arguments: Seed.some(20))
  func lossy(seed: Seed) throws {
    var random = seed.generator
    var room = try room(6, seed: seed)
    room.loss = .percent(20)
    room.duplication = .percent(10)
    room.latency = .ms(1)...Duration.ms(80)
    for index in 0..<6 {
      try enter(&room, index)
      room.run(for: random.duration(below: .seconds(4)))
    }
    room.run(for: .seconds(60))
    #expect(room.browsers.allSatisfy { $0.present.count == 5 })
    room.run(for: .seconds(600))
    #expect(room.browsers.allSatisfy { $0.present.count == 5 && $0.nonsense == 0 })
    #expect(room.advertisers.allSatisfy { $0.machine.announcement.ordinal == 1 })
  }

  @Test("An update reaches everybody, in the end also over a bad network", arguments: Seed.some(10))
  func update(seed: Seed) throws {
    var room = try room(3, seed: seed)
    room.loss = .percent(20)
    for index in 0..<3 { try enter(&room, index) }
    room.run(for: .seconds(30))
    let info = try DiscoveryInfo(["room": "bar"])
    room.tell(advertiser: 0, .updateRequested(info, port: 7_100))
    room.run(for: .seconds(5_000))
    for browser in room.browsers.dropFirst() {
      let heard = browser.reports.last { $0.service?.id == Ann.peer(0) }
      #expect(heard?.service?.info == info.dictionary)
      #expect(browser.nonsense == 0)
    }
  }

  @Test(
    "Who says goodbye is lost a second later; who vanishes, within two minutes",
    arguments: Seed.some(10))
  func leaving(seed: Seed) throws {
    for saysGoodbye in [true, false] {
      var room = try room(2, seed: seed)
      for index in 0..<2 { try enter(&room, index) }
      room.run(for: .seconds(200))
      if saysGoodbye {
        room.tell(advertiser: 0, .withdrawRequested)
      } else {
        room.crash(advertiser: 0)
      }
      room.run(for: saysGoodbye ? .ms(1_001) : .seconds(121))
      #expect(room.browsers[1].present.isEmpty)
      #expect(room.browsers[1].nonsense == 0)
    }
  }

  @Test(
    "A lost goodbye costs two minutes, or ten seconds once a connection fails",
    arguments: Seed.some(20))
  func lostGoodbye(seed: Seed) throws {
    for isReconfirmed in [true, false] {
      var room = try room(2, seed: seed)
      for index in 0..<2 { try enter(&room, index) }
      room.run(for: .seconds(200))
      room.loss = .one
      room.tell(advertiser: 0, .withdrawRequested)
      room.run(for: .ms(10))
      room.loss = .zero
      if isReconfirmed { room.tell(browser: 1, .reconfirmRequested(Ann.peer(0))) }
      room.run(for: isReconfirmed ? .seconds(11) : .seconds(121))
      #expect(room.browsers[1].present.isEmpty)
    }
  }

  @Test("Peers that stay are known for hours with little traffic")
  func hours() throws {
    var room = try room(4, seed: Seed(1))
    for index in 0..<4 { try enter(&room, index) }
    room.run(for: .seconds(600))
    let before = room.packets
    room.run(for: .seconds(3_600))
    #expect(room.browsers.allSatisfy { $0.reports.count == 3 && $0.present.count == 3 })
    // Each host's service and address: a question and an answer every 96 s or more.
    #expect(room.packets - before < 4 * 2 * 2 * 38)
  }

  /// What two peers of a room do: advertise, browse, or both.
  private static let roles = [("ab", "ab"), ("a", "b"), ("ab", "b"), ("a", "ab")]

  @Test(
    "Who comes back into range is found within ten seconds, whatever each one does",
    arguments: [10, 60, 300, 1_200, 3_600], roles)
  func back(absence: Int, roles: (String, String)) throws {
    for seed in Seed.some(3) {
      var room = try room(2, seed: seed)
      for (index, role) in [roles.0, roles.1].enumerated() {
        let id = Ann.peer(UInt64(index))
        if role.contains("a") { room.advertise(try Ann.announcement(id: id), on: index) }
        if role.contains("b") { room.browse(try ServiceType("chat"), as: id, on: index) }
      }
      room.run(for: .seconds(10 + Int(seed.value) * 400))
      room.away = [1]
      room.run(for: .seconds(absence))
      room.away = []
      room.run(for: .seconds(10))
      for browser in room.browsers {
        let others = room.advertisers.count { $0.host != browser.host }
        #expect(browser.present.count == others && browser.nonsense == 0)
      }
    }
  }

  @Test(
    "Halves of a room that were parted for an hour find each other within ten seconds",
    arguments: Seed.some(3))
  func halves(seed: Seed) throws {
    var room = try room(8, seed: seed)
    for index in 0..<8 { try enter(&room, index) }
    room.run(for: .seconds(30))
    room.away = [4, 5, 6, 7]
    room.run(for: .seconds(3_600))
    #expect(room.browsers.allSatisfy { $0.present.count == 3 })
    room.away = []
    room.run(for: .seconds(10))
    #expect(room.browsers.allSatisfy { $0.present.count == 7 && $0.nonsense == 0 })
  }

  @Test("Waiting for one who is away costs 900 packets an hour to it alone, and few to the group")
  func price() throws {
    var room = try room(2, seed: Seed(1))
    for index in 0..<2 { try enter(&room, index) }
    room.run(for: .seconds(30))
    room.away = [1]
    room.run(for: .seconds(130))
    let (multicasts, unicasts) = (room.multicasts, room.unicasts)
    room.run(for: .seconds(3_590))
    #expect((room.unicasts - unicasts) / 2 <= 900 && (room.unicasts - unicasts) / 2 >= 880)
    #expect((room.multicasts - multicasts) / 2 <= 20)
  }

  @Test("A room that everybody enters at once is quiet soon")
  func crowd() throws {
    var room = try room(20, seed: Seed(1))
    for index in 0..<20 { try enter(&room, index) }
    room.run(for: .seconds(10))
    #expect(room.browsers.allSatisfy { $0.present.count == 19 && $0.nonsense == 0 })
    #expect(room.packets <= 20 * 12)
    let before = room.packets
    room.run(for: .seconds(60))
    #expect(room.packets - before <= 20)
  }
}

extension BrowserEvent {
  /// The service that was found or updated.
  var service: DiscoveredPeer? {
    switch self {
    case .found(let service), .updated(let service): service
    case .lost, .unavailable, .available: nil
    }
  }
}
