import EarshotCore
import TestKit
import Testing

@Suite("A browser that is told of thousands")
struct CrowdedCacheTests {
  private static let bob = Ann.peer(7)

  /// A peer that there is not, said by a host that there is not.
  private static func forged(_ number: UInt32) throws -> (Said, Endpoint) {
    let address = IPAddress.v4(0x0A10_0000 + number)
    let announcement = try Ann.announcement(id: Ann.peer(1_000 + UInt64(number)))
    return (
      Said(announcement: announcement, address: address), Endpoint(address, port: DNSArrival.port)
    )
  }

  private static func say(_ said: Said, to bench: inout BrowserBench) {
    bench.hear(
      DNSMessage(answering: said.all), from: Endpoint(said.address, port: DNSArrival.port))
  }

  /// A browser that knows Ann, and is told of peers that there are not, some thousand a second.
  private func crowded(_ count: UInt32 = 2_500) throws -> BrowserBench {
    var bench = try BrowserBench()
    let ann = Said(announcement: try Ann.announcement())
    for _ in 0..<2 {
      Self.say(ann, to: &bench)
      bench.run(for: .seconds(1))
    }
    for number in 0..<count {
      let (said, source) = try Self.forged(number)
      bench.hear(DNSMessage(answering: said.all), from: source)
      if number % 50 == 0 { bench.run(for: .ms(10)) }
    }
    return bench
  }

  private func lost(_ bench: BrowserBench) -> Set<PeerID> {
    Set(bench.reports.compactMap { if case .lost(let peer) = $0.report { peer.id } else { nil } })
  }

  private func found(_ bench: BrowserBench) -> Set<PeerID> {
    Set(bench.reports.compactMap { if case .found(let peer) = $0.report { peer.id } else { nil } })
  }

  @Test("keeps who is there, and remembers half of what it can until names are heard twice")
  func bounded() throws {
    var bench = try crowded()
    #expect(bench.machine.recordCount <= 16_384 / 2 + 4)
    #expect(!lost(bench).contains(Ann.id))
    // What nobody says again is forgotten in ten seconds.
    bench.run(for: .seconds(11))
    #expect(bench.machine.recordCount == 4)
    #expect(lost(bench) == found(bench).subtracting([Ann.id]))
  }

  @Test("finds a newcomer as it announces itself for the second time")
  func newcomer() throws {
    var bench = try crowded()
    let bob = Said(announcement: try Ann.announcement(id: Self.bob), address: .v4(0x0A00_0077))
    Self.say(bob, to: &bench)
    Self.say(bob, to: &bench)
    #expect(!found(bench).contains(Self.bob))
    bench.run(for: .seconds(1))
    Self.say(bob, to: &bench)
    #expect(found(bench).contains(Self.bob))
    bench.run(for: .seconds(2))
    Self.say(bob, to: &bench)
    bench.run(for: .seconds(60))
    #expect(!lost(bench).contains(Self.bob))
  }

  @Test("asks all to speak up when it doubts whom it heard once")
  func asking() throws {
    var bench = try crowded()
    bench.forget()
    bench.run(for: .seconds(2))
    #expect(!bench.times(of: Ann.domain, .ptr).isEmpty)
  }

  @Test("takes a change of who is there when there is no room for more")
  func full() throws {
    var bench = try crowded()
    for round in 0..<2 {
      for number in 0..<2_100 as Range<UInt32> {
        let (said, source) = try Self.forged(10_000 + number)
        bench.hear(DNSMessage(answering: said.all), from: source)
      }
      bench.run(for: .ms(round == 0 ? 300 : 100))
    }
    #expect(bench.machine.recordCount >= 16_380)
    bench.forget()
    Self.say(Said(announcement: try Ann.announcement(info: ["room": "bar"])), to: &bench)
    bench.run(for: .seconds(3))
    #expect(!lost(bench).contains(Ann.id))
    #expect(
      bench.reports.contains {
        if case .updated(let peer) = $0.report { peer.info == ["room": "bar"] } else { false }
      })
  }

  @Test("asks for what is missing of strangers so seldom that its other questions find their way")
  func resolutions() throws {
    var bench = try BrowserBench()
    for number in 0..<2_000 as Range<UInt32> {
      let (said, source) = try Self.forged(number)
      bench.hear(DNSMessage(answering: [said.pointer]), from: source)
    }
    bench.forget()
    bench.run(for: .seconds(20))
    #expect(bench.sent.count <= 200)
  }
}
