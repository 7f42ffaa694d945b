import EarshotCore
import TestKit
import Testing

@Suite("An identity used twice")
struct AdvertiserConflictTests {
  /// What the other one says: the same names, another port and address.
  private func others() throws -> Said {
    Said(announcement: try Ann.announcement(port: 9_999), address: .v4(0x0A00_0063))
  }

  private func probe(claiming records: [DNSRecord], of said: Said) -> DNSMessage {
    DNSMessage(
      asking: [DNSQuestion(said.service.name, .any, wantsUnicast: true)], claiming: records)
  }

  @Test("What is said alike is no conflict (M39)")
  func identical() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.hear(Said(announcement: try Ann.announcement()).all)
    bench.run(for: .seconds(10))
    #expect(bench.sent.isEmpty && bench.machine.announcement.ordinal == 1)
  }

  @Test("A conflict is answered with our records, then three probes 250 ms apart (M01, M32, M39)")
  func defenceAndProbes() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let start = bench.now
    bench.hear([try others().service])
    let said = Said(announcement: try Ann.announcement())
    #expect(bench.answers == [said.service, said.text, said.host])
    bench.forget()
    bench.run(for: .seconds(1))
    let probes = bench.sent.filter { !$0.message.isResponse }
    #expect(probes.count == 3)
    #expect(probes[0].at - start < .ms(250))
    #expect(probes[1].at - probes[0].at == .ms(250) && probes[2].at - probes[1].at == .ms(250))
    for probe in probes {
      #expect(probe.message.questions.map(\.name) == [bench.instance, bench.host])
      #expect(probe.message.questions.allSatisfy { $0.type == .any && $0.wantsUnicast })
      #expect(
        probe.message.authorities.map(\.data) == [said.service, said.text, said.host].map(\.data))
    }
    bench.run(for: .seconds(1))
    let announced = try #require(bench.sent.first { $0.message.isResponse })
    #expect(announced.at - probes[2].at == .ms(250))
    #expect(bench.renamed.isEmpty)
  }

  @Test("A conflicting response to a probe costs us the name (M34, D12)")
  func rename() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.hear([try others().service])
    bench.run(for: .ms(300))
    bench.hear([try others().service])
    bench.run(for: .seconds(5))
    #expect(bench.renamed == ["Ann (\(Ann.id.short)) (2)"])
    #expect(bench.host == DNSName("\(Ann.id.description.prefix(16))-2", "local"))
    bench.forget()
    bench.ask(bench.instance, .srv)
    bench.ask(try others().service.name, .srv)
    #expect(bench.answers.map(\.name) == [bench.instance])
  }

  @Test("A host with the earlier data has the name if it answers three rounds of probes (M39)")
  func standsFirm() throws {
    let theirs = Said(announcement: try Ann.announcement(port: 1)).service
    for rounds in 2...3 {
      var bench = AdvertiserBench.settled(try Ann.announcement())
      bench.hear([theirs])
      var answered = 0
      for _ in 0..<1_000 {
        let before = probes(of: bench).count
        bench.run(for: .ms(10))
        guard probes(of: bench).count > before, probes(of: bench).count <= rounds * 3 else {
          continue
        }
        bench.hear([theirs])
        answered += 1
      }
      #expect(answered == rounds * 3)
      #expect(bench.renamed.count == rounds - 2)
    }
  }

  @Test("What is heard before the first probe is stale (M33)")
  func stale() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.hear([try others().service])
    bench.hear([try others().service])
    bench.run(for: .seconds(5))
    #expect(bench.renamed.isEmpty && bench.machine.announcement.ordinal == 1)
  }

  /// Contradicts every name that is probed for, as soon as it is, for a time.
  private func contradict(_ bench: inout AdvertiserBench, for duration: Duration) throws {
    let end = bench.now + duration
    var heard = bench.sent.count
    bench.hear([try others().service])
    while bench.now < end {
      bench.run(for: .ms(10))
      let claims = bench.sent.dropFirst(heard).flatMap(\.message.authorities)
      heard = bench.sent.count
      for claim in claims where claim.type == .srv {
        bench.hear([DNSRecord(claim.name, try others().service.data, lifetimeSeconds: 120)])
      }
    }
  }

  private func probes(of bench: AdvertiserBench) -> [SentPacket] {
    bench.sent.filter { !$0.message.authorities.isEmpty }
  }

  @Test("After fifteen conflicts in ten seconds we probe again after five at least (M35)")
  func storm() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    try contradict(&bench, for: .seconds(30))
    let times = probes(of: bench).map(\.at)
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(pauses.contains { $0 >= .seconds(5) })
    #expect(bench.renamed.isEmpty && bench.machine.announcement.ordinal == 1)
  }

  @Test(
    "While conflicts go on, we probe ever more seldom, and after a minute of peace at once (M35)")
  func longStorm() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    try contradict(&bench, for: .seconds(40))
    #expect(probes(of: bench).count <= 25)
    bench.forget()
    try contradict(&bench, for: .seconds(600))
    #expect((5...25).contains(probes(of: bench).count))
    bench.run(for: .seconds(130))
    let (start, ordinal) = (bench.now, bench.machine.announcement.ordinal)
    bench.forget()
    var said = try others()
    said.announcement.ordinal = ordinal
    bench.hear([said.service])
    bench.run(for: .seconds(1))
    #expect(try #require(probes(of: bench).first).at - start < .ms(250))
  }

  @Test("A name that is contested is answered for all the while, with few packets")
  func answersAllTheWhile() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let lies = [try others().service, try others().text, try others().host]
    for step in 0..<3_000 {
      bench.hear(lies)
      if step % 100 == 50 {
        bench.forget()
        bench.ask(Ann.domain, .ptr, wantsUnicast: true)
      }
      bench.run(for: .ms(10))
      guard step % 100 == 65 else { continue }
      let said = bench.sent.flatMap(\.message.said)
      #expect(said.contains { $0.type == .ptr }, "answered at step \(step)")
    }
    bench.forget()
    for _ in 0..<1_000 {
      bench.hear(lies)
      bench.run(for: .ms(10))
    }
    #expect(bench.sent.count <= 100, "a hundred forged packets a second cost ten")
  }

  @Test("What another host says of our records does not take the place of our answer (M30, M56)")
  func forgedCopies() throws {
    let said = Said(announcement: try Ann.announcement())
    for (question, record) in [(Ann.domain, said.pointer), (said.service.name, said.service)] {
      var bench = AdvertiserBench.settled(try Ann.announcement())
      bench.ask(question, record.type)
      for _ in 0..<20 {
        bench.hear([record])
        bench.run(for: .ms(10))
      }
      #expect(bench.answers.contains(record))
    }
  }

  @Test(
    "What we said before we started again, heard late or twice, costs one round of probes at most")
  func lateAnnouncement() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let former = Said(announcement: try Ann.announcement(info: ["room": "attic"], port: 7_000))
    for _ in 0..<2 {
      bench.hear(former.all)
      bench.run(for: .ms(5))
    }
    bench.run(for: .seconds(20))
    #expect(probes(of: bench).count <= 3 && bench.renamed.isEmpty)
    #expect(bench.answers.contains(Said(announcement: try Ann.announcement()).service))
  }

  @Test("Who has taken another name says goodbye for the former one, too, as long as it is kept")
  func formerName() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let first = Said(announcement: try Ann.announcement())
    bench.hear([try others().service])
    bench.run(for: .ms(300))
    bench.hear([try others().service])
    bench.run(for: .seconds(600))
    #expect(bench.renamed.count == 1)
    var later = bench
    bench.forget()
    bench.handle(.withdrawRequested)
    for record in [first.pointer, first.service, first.text] {
      #expect(bench.answers.contains(record.living(0)))
    }
    later.run(for: .seconds(4_500))
    later.forget()
    later.handle(.withdrawRequested)
    #expect(!later.answers.contains(first.pointer.living(0)))
  }

  @Test("A response to us alone is a conflict only if a probe of ours asked for it (M18)")
  func unsolicited() throws {
    let theirs = DNSMessage(answering: [try others().service])
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.hear(theirs, wasMulticast: false)
    bench.run(for: .seconds(5))
    #expect(bench.sent.isEmpty)
    bench.hear(theirs)
    bench.run(for: .ms(300))
    bench.hear(theirs, wasMulticast: false)
    bench.run(for: .seconds(2))
    #expect(bench.renamed.count == 1)
    bench.run(for: .seconds(2))
    bench.forget()
    var again = try others()
    again.announcement.ordinal = 2
    bench.hear(DNSMessage(answering: [again.service]), wasMulticast: false)
    bench.run(for: .seconds(5))
    #expect(!bench.sent.contains { !$0.message.isResponse })
  }

  @Test("Somebody else's probe for our name is fended off at once, every 250 ms (M19)")
  func fending() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let theirs = try others()
    let start = bench.now
    for _ in 0..<10 {
      bench.hear(probe(claiming: [theirs.service, theirs.text], of: theirs))
      bench.run(for: .ms(100))
    }
    #expect(bench.sent.map { $0.at - start } == [.zero, .ms(250), .ms(500), .ms(750), .ms(1_000)])
    #expect(bench.answers.filter { $0.type == .srv }.count == 5)
    #expect(bench.sent.allSatisfy { $0.destination == .multicast })
  }

  @Test("Of two probers the later data wins, and the loser tries again after a second (M36)")
  func tieBreak() throws {
    for (port, weWin) in [(UInt16(1), true), (9_999, false)] {
      var bench = AdvertiserBench.settled(try Ann.announcement())
      bench.hear([try others().service])
      bench.run(for: .ms(250))  // The first probe is out.
      let probes = bench.sent.filter { !$0.message.isResponse }.count
      #expect(probes == 1)
      let theirs = Said(announcement: try Ann.announcement(port: port))
      bench.hear(probe(claiming: [theirs.service, theirs.text], of: theirs))
      bench.forget()
      let start = bench.now
      bench.run(for: .seconds(5))
      let next = try #require(bench.sent.first).at - start
      #expect((next <= .ms(250)) == weWin)
      #expect((next == .seconds(1)) == !weWin)
      #expect(bench.renamed.isEmpty)
    }
  }

  @Test("Two of one identity end with two names, whoever came first", arguments: Seed.some(100))
  func settle(seed: Seed) throws {
    var random = seed.generator
    var room = DiscoveryRoom(seed: seed)
    room.latency = .ms(1)...Duration.ms(20)
    for (number, port) in [(1, UInt16(1_000)), (2, 2_000)] {
      let address = IPAddress.v4(0x0A00_0000 + UInt32(number))
      room.addHost(address)
      room.advertise(try Ann.announcement(port: port), on: number - 1)
      room.run(for: random.duration(below: .seconds(3)))
    }
    room.run(for: .seconds(20))
    let ordinals = room.advertisers.map(\.machine.announcement.ordinal).sorted()
    #expect(ordinals == [1, 2])
  }
}
