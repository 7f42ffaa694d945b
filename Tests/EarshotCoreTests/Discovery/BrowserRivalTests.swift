import EarshotCore
import TestKit
import Testing

/// Sources of multicast have no proof, so what a stranger says against a peer only has it asked for.
@Suite("A browser that hears strangers speak for a peer")
struct BrowserRivalTests {
  private static let liar = Endpoint(.v4(0x0A00_0042), port: DNSArrival.port)
  private static let place = Endpoint(Ann.address, port: 7_100)

  private func said() throws -> Said { Said(announcement: try Ann.announcement()) }

  /// What the liar says: Ann's names, and all else its own.
  private func lies() throws -> Said {
    var lies = Said(announcement: try Ann.announcement(info: ["room": "trap"], port: 666))
    lies.address = Self.liar.address
    return lies
  }

  /// Another identifier below Ann's name.
  private func otherIdentity() throws -> DNSRecord {
    let text = try Ann.announcement(id: Ann.peer(9)).text
    return DNSRecord(
      try said().announcement.instanceName, .text(text.bytes), lifetimeSeconds: 4_500,
      flushesCache: true)
  }

  /// A browser that has found Ann, some seconds ago.
  private func settled() throws -> BrowserBench {
    var bench = try BrowserBench()
    bench.run(for: .seconds(70))
    bench.hear(try said().all)
    bench.run(for: .seconds(5))
    bench.forget()
    return bench
  }

  private func last(of bench: BrowserBench) -> DiscoveredPeer? {
    for report in bench.reports.reversed() {
      switch report.report {
      case .found(let peer), .updated(let peer): return peer
      case .lost, .unavailable, .available: return nil
      }
    }
    return nil
  }

  @Test("Where a stranger says twice that it is comes behind where it is, which is asked for")
  func place() throws {
    var bench = try settled()
    let lies = try lies()
    bench.hear([lies.service, lies.host], from: Self.liar)
    bench.run(for: .ms(200))
    let asked = bench.asked.map(\.question.type)
    #expect(asked.contains(.srv) && asked.contains(.a))
    #expect(bench.reports.isEmpty)
    bench.run(for: .ms(100))
    bench.hear([lies.service, lies.host], from: Self.liar)
    let peer = try #require(last(of: bench))
    #expect(peer.endpoints.first == Self.place && peer.endpoints.count > 1)
    #expect(peer.info == ["room": "lobby"])
  }

  @Test("What it says itself then ends the lie within a second")
  func defended() throws {
    var bench = try settled()
    let lies = try lies()
    for _ in 0..<2 {
      bench.hear([lies.service, lies.text, lies.host], from: Self.liar)
      bench.run(for: .seconds(2))
    }
    #expect(try #require(last(of: bench)).endpoints.count > 1)
    bench.hear(try said().all)
    bench.run(for: .ms(1_100))
    #expect(last(of: bench)?.endpoints == [Self.place])
    bench.run(for: .seconds(60))
    #expect(!bench.news.contains("lost"))
    #expect(last(of: bench)?.endpoints == [Self.place])
  }

  @Test("An identifier, strings or a goodbye of a stranger change nothing of who answers in time")
  func identityAndGoodbye() throws {
    for claims in [
      [try otherIdentity()], [try lies().text], try said().all.map { $0.living(0) },
      [try said().pointer.living(0), try otherIdentity()],
    ] {
      for wait in [Duration.ms(100), .seconds(9)] {
        var bench = try settled()
        bench.hear(claims, from: Self.liar)
        bench.run(for: wait)
        #expect(!bench.asked.isEmpty)
        bench.hear(try said().all)
        bench.run(for: .seconds(60))
        #expect(bench.reports.isEmpty)
      }
    }
  }

  @Test("Who says nothing for ten seconds after a stranger's goodbye is lost")
  func trueGoodbye() throws {
    var bench = try settled()
    let begin = bench.now
    bench.hear(try said().all.map { $0.living(0) }, from: Self.liar)
    bench.run(for: .seconds(30))
    #expect(bench.news == ["lost"] && bench.reports.map { $0.at - begin } == [.seconds(10)])
  }

  @Test("Who really moved is at both places for ten seconds, and then at the new one alone")
  func moved() throws {
    var bench = try settled()
    let (now, begin) = (try lies(), bench.now)
    for _ in 0..<3 {
      bench.hear(now.all, from: Self.liar)
      bench.run(for: .seconds(1))
    }
    #expect(last(of: bench)?.endpoints.contains(Endpoint(Self.liar.address, port: 666)) == true)
    bench.run(for: .seconds(60))
    #expect(last(of: bench)?.endpoints == [Endpoint(Self.liar.address, port: 666)])
    #expect(last(of: bench)?.info == ["room": "trap"])
    #expect(bench.reports.allSatisfy { $0.at - begin <= .seconds(11) })
    #expect(!bench.news.contains("lost"))
  }

  @Test("An address that its host is known at may speak for it", arguments: [0, 5])
  func ownAddress(afterSeconds seconds: Int) throws {
    var bench = try settled()
    let begin = bench.now
    bench.run(for: .seconds(seconds))
    let home = Endpoint(Ann.address, port: DNSArrival.port)
    bench.hear(try said().all.map { $0.living(0) }, from: home)
    bench.run(for: .seconds(30))
    #expect(bench.news == ["lost"])
    #expect(bench.reports.map { $0.at - begin } == [.seconds(seconds + 1)])
  }

  /// Ann's own place, where she does not hear what another host says from there.
  private static let home = Endpoint(Ann.address, port: DNSArrival.port)

  /// Lets time pass while Ann answers what is asked about her, each record once a second, as she
  /// may.
  private func run(_ bench: inout BrowserBench, for duration: Duration, answering ann: Said) {
    let end = bench.now + duration
    var (heard, last) = (bench.asked.count, [DNSRecord: Instant]())
    while bench.now < end {
      bench.run(for: .ms(20))
      let asked = bench.asked.dropFirst(heard).map(\.question)
      heard += asked.count
      guard !asked.isEmpty else { continue }
      let isForService = asked.contains { $0.name == Ann.domain }
      let wanted = isForService ? ann.all : [ann.service, ann.host]
      let isForText = !isForService && asked.contains { $0.type == .txt }
      let due = (wanted + (isForText ? [ann.text] : [])).filter { record in
        last[record].map { bench.now - $0 >= .seconds(1) } ?? true
      }
      for record in due { last[record] = bench.now }
      if !due.isEmpty { bench.hear(due, from: Self.home) }
    }
  }

  @Test(
    "A peer that stops and starts again may say other things at once, and leave at once",
    arguments: [50, 460, 700, 990])
  func restarted(milliseconds: Int) throws {
    var bench = try settled()
    bench.hear(try said().all.map { $0.living(0) }, from: Self.home)
    bench.run(for: .ms(milliseconds))
    bench.hear(try said().all, from: Self.home)
    bench.run(for: .seconds(2))
    #expect(bench.reports.isEmpty)
    let busy = Said(announcement: try Ann.announcement(info: ["room": "busy"], port: 7_200))
    bench.hear([busy.service, busy.text], from: Self.home)
    #expect(last(of: bench)?.info == ["room": "busy"])
    #expect(last(of: bench)?.endpoints == [Endpoint(Ann.address, port: 7_200)])
    bench.run(for: .seconds(2))
    let begin = bench.now
    bench.hear(busy.all.map { $0.living(0) }, from: Self.home)
    bench.run(for: .seconds(5))
    #expect(bench.news.last == "lost")
    #expect(bench.reports.last.map { $0.at - begin } == .seconds(1))
  }

  @Test(
    "A goodbye that comes late or twice does not end a peer that has started again (M41, M56)",
    arguments: [5, 500, 1_500])
  func lateGoodbye(milliseconds: Int) throws {
    var bench = try settled()
    let (ann, goodbyes) = (try said(), try said().all.map { $0.living(0) })
    bench.hear(goodbyes, from: Self.home)
    bench.run(for: .ms(20))
    bench.hear(ann.all, from: Self.home)
    bench.run(for: .ms(milliseconds))
    for _ in 0..<2 {
      bench.hear(goodbyes, from: Self.home)
      run(&bench, for: .ms(40), answering: ann)
    }
    run(&bench, for: .seconds(20), answering: ann)
    #expect(bench.reports.isEmpty)
  }

  @Test("A place that a peer said before it started again, heard late, does not stay (M38, M42)")
  func latePlace() throws {
    var bench = try settled()
    var now = try said()
    now.announcement.port = 7_200
    bench.hear(now.all, from: Self.home)
    run(&bench, for: .ms(1_500), answering: now)
    bench.hear([try said().service], from: Self.home)
    run(&bench, for: .seconds(2), answering: now)
    let peer = try #require(last(of: bench))
    #expect(peer.endpoints.first == Endpoint(Ann.address, port: 7_200))
    #expect(!bench.news.contains("lost"))
  }

  @Test("Of what strangers said in turn the latest is shown once the truth is gone")
  func latestRival() throws {
    var bench = try settled()
    for room in ["one", "two"] {
      let text = Said(announcement: try Ann.announcement(info: ["room": room])).text
      for _ in 0..<3 {
        bench.hear([text], from: Self.liar)
        bench.run(for: .seconds(1))
      }
    }
    bench.run(for: .seconds(3))
    bench.hear([try said().pointer, try said().service, try said().host])
    bench.run(for: .seconds(10))
    #expect(last(of: bench)?.info == ["room": "two"])
  }

  @Test("A goodbye from a peer's own address does not end one that answers the question after it")
  func forgedGoodbye() throws {
    let ann = try said()
    for goodbyes in [ann.all, [ann.pointer], [ann.service], [ann.host]] {
      var bench = try settled()
      for _ in 0..<20 {
        bench.hear(goodbyes.map { $0.living(0) }, from: Self.home)
        run(&bench, for: .ms(1_100), answering: ann)
      }
      #expect(!bench.asked.isEmpty && bench.reports.isEmpty)
      // Then it leaves indeed, and does not answer.
      let begin = bench.now
      bench.hear(goodbyes.map { $0.living(0) }, from: Self.home)
      bench.run(for: .seconds(30))
      #expect(bench.news == ["lost"])
      #expect(bench.reports.allSatisfy { $0.at - begin <= .seconds(10) })
    }
  }

  @Test("While strangers disagree about a peer, its own goodbye is seen within two seconds")
  func contested() throws {
    let (ann, lies) = (try said(), try lies())
    for goodbyes in [[ann.pointer.living(0)], ann.all.map { $0.living(0) }] {
      var bench = try settled()
      bench.hear([lies.service, lies.host], from: Self.liar)
      run(&bench, for: .seconds(3), answering: ann)
      #expect(bench.reports.isEmpty)
      let begin = bench.now
      bench.hear([lies.service, lies.host], from: Self.liar)
      bench.hear(goodbyes, from: Self.home)
      bench.run(for: .seconds(60))
      #expect(bench.news.last == "lost")
      #expect(bench.reports.last.map { $0.at - begin <= .seconds(2) } == true)
    }
  }

  @Test("While strangers disagree about a peer, another place is not believed from its own address")
  func contestedPlace() throws {
    let (lies, others) = (try lies(), Said(announcement: try Ann.announcement(port: 4_711)))
    var bench = try settled()
    bench.hear([lies.service, lies.host], from: Self.liar)
    bench.hear([others.service], from: Self.home)
    bench.run(for: .seconds(9))
    #expect(bench.reports.isEmpty)
  }

  @Test("A peer that was spared once leaves within a second again after a minute in peace")
  func peace() throws {
    var bench = try settled()
    bench.hear(try said().all.map { $0.living(0) }, from: Self.home)
    run(&bench, for: .seconds(5), answering: try said())
    #expect(bench.reports.isEmpty)
    for _ in 0..<2 {
      bench.run(for: .seconds(61))
      bench.hear(try said().all, from: Self.home)
    }
    bench.run(for: .seconds(2))
    let begin = bench.now
    bench.hear(try said().all.map { $0.living(0) }, from: Self.home)
    bench.run(for: .seconds(5))
    #expect(bench.news == ["lost"] && bench.reports.map { $0.at - begin } == [.seconds(1)])
  }

  @Test("A place said from a peer's own address stands behind the true one once that has answered")
  func forgedPlace() throws {
    var lies = Said(announcement: try Ann.announcement(port: 666))
    lies.address = Self.liar.address
    for claims in [[lies.service], [lies.host], [lies.service, lies.host]] {
      var bench = try settled()
      bench.hear(claims, from: Self.home)
      run(&bench, for: .seconds(1), answering: try said())
      #expect(last(of: bench)?.endpoints == [Self.place])
      bench.forget()
      for _ in 0..<30 {
        bench.hear(claims, from: Self.home)
        run(&bench, for: .ms(100), answering: try said())
      }
      for report in bench.reports {
        guard case .updated(let peer) = report.report else {
          Issue.record("\(report.report)")
          continue
        }
        #expect(peer.endpoints.first == Self.place)
      }
      run(&bench, for: .seconds(15), answering: try said())
      bench.hear(try said().all, from: Self.home)
      run(&bench, for: .seconds(2), answering: try said())
      #expect(last(of: bench).map { $0.endpoints == [Self.place] } ?? bench.reports.isEmpty)
    }
  }

  @Test("A peer defends its place over either family, wherever it was heard first")
  func defendedOverEither() throws {
    let sixth = Endpoint(.v6(0xFE80 << 48, 5, scope: 0), port: DNSArrival.port)
    var lie = Said(announcement: try Ann.announcement(port: 666, id: Ann.peer(9)))
    lie.address = Self.liar.address
    let service = DNSRecord(
      try said().announcement.instanceName, lie.service.data, lifetimeSeconds: 120,
      flushesCache: true)
    for first in [sixth, Self.home] {
      var bench = try BrowserBench()
      bench.run(for: .seconds(70))
      bench.hear(try said().all, from: first)
      bench.run(for: .seconds(5))
      bench.hear([service, lie.host], from: Self.home)
      run(&bench, for: .seconds(1), answering: try said())
      #expect(last(of: bench)?.endpoints.first == Self.place)
      bench.forget()
      for _ in 0..<10 {
        bench.hear([service, lie.host], from: Self.home)
        run(&bench, for: .ms(100), answering: try said())
      }
      #expect(last(of: bench).map { $0.endpoints.first == Self.place } ?? bench.reports.isEmpty)
      for report in bench.reports {
        guard case .updated(let peer) = report.report else { continue }
        #expect(peer.endpoints.first == Self.place)
      }
    }
  }

  @Test(
    "A peer that defends its place before it is asked leads from then on, however long ago it spoke",
    arguments: [100, 999, 5_000], [true, false])
  func defendedUnasked(milliseconds: Int, isHeardOverOther: Bool) throws {
    var lies = Said(announcement: try Ann.announcement(port: 666, id: Ann.peer(9)))
    lies.address = Self.liar.address
    let name = try said().announcement.instanceName
    func lie(_ port: UInt16) -> [DNSRecord] {
      lies.announcement.port = port
      let service = DNSRecord(
        name, lies.service.data, lifetimeSeconds: 120, flushesCache: true)
      return [service, lies.host]
    }
    var bench = try BrowserBench()
    bench.run(for: .seconds(70))
    let sixth = Endpoint(.v6(0xFE80 << 48, 5, scope: 0), port: DNSArrival.port)
    bench.hear(try said().all, from: isHeardOverOther ? sixth : Self.home)
    bench.run(for: .ms(milliseconds))
    bench.forget()
    for port in [666, 667, 666] as [UInt16] { bench.hear(lie(port), from: Self.home) }
    #expect(try #require(last(of: bench)).endpoints.first != Self.place)
    bench.run(for: .ms(5))
    bench.hear([try said().service, try said().text, try said().host], from: Self.home)
    #expect(last(of: bench)?.endpoints == [Self.place])
    bench.forget()
    for step in 0..<200 {
      bench.run(for: .ms(5))
      bench.hear(lie(UInt16(666 + step % 3)), from: Self.home)
    }
    for report in bench.reports {
      guard case .updated(let peer) = report.report else {
        Issue.record("\(report.report)")
        continue
      }
      #expect(peer.endpoints.first == Self.place)
    }
  }

  @Test("Who is heard first is not believed more than the peer itself, a moment later")
  func heardFirst() throws {
    let (ann, lies) = (try said(), try lies())
    for claims in [[lies.service], [try otherIdentity()], [lies.service, lies.text, lies.host]] {
      var bench = try BrowserBench()
      bench.run(for: .seconds(70))
      bench.hear(claims, from: Self.liar)
      bench.run(for: .ms(10))
      bench.hear(ann.all, from: Self.home)
      func present() -> DiscoveredPeer? {
        let about = bench.reports.last { $0.report.peer?.id == Ann.id }
        if case .lost = about?.report { return nil }
        return about?.report.peer
      }
      #expect(present()?.endpoints.contains(Self.place) == true)
      run(&bench, for: .seconds(60), answering: ann)
      #expect(present()?.endpoints == [Self.place])
    }
  }

  @Test("Another identifier said from a peer's own address changes nothing while it answers")
  func forgedIdentity() throws {
    var bench = try settled()
    for _ in 0..<10 {
      bench.hear([try otherIdentity()], from: Self.home)
      run(&bench, for: .seconds(2), answering: try said())
    }
    #expect(!bench.asked.isEmpty && bench.reports.isEmpty)
  }

  @Test("One question goes out for a goodbye, whatever it takes back")
  func askedOnce() throws {
    var bench = try settled()
    bench.hear(try said().all.map { $0.living(0) }, from: Self.home)
    bench.run(for: .seconds(1))
    #expect(bench.asked.map(\.question) == [DNSQuestion(try said().service.name, .srv)])
    #expect(bench.news == ["lost"])
    var other = try settled()
    other.hear(try said().all.map { $0.living(0) }, from: Self.home)
    other.hear(
      DNSMessage(asking: [DNSQuestion(try said().service.name, .srv)]), from: BrowserBench.other)
    other.run(for: .seconds(1))
    #expect(other.asked.isEmpty, "another host has asked")
  }

  @Test("A host that spoke a moment ago, and may not answer all again at once, is asked twice")
  func askedTwice() throws {
    var bench = try settled()
    bench.hear(try said().all, from: Self.home)
    bench.run(for: .ms(500))
    let begin = bench.now
    bench.hear([try said().pointer.living(0)], from: Self.home)
    bench.run(for: .seconds(1))
    let waits = bench.asked.map { $0.at - begin }
    #expect(waits.count == 2 && waits[0] >= .ms(100) && waits[0] <= .ms(350))
    #expect(waits.last.map { $0 >= .ms(750) && $0 < .seconds(1) } == true)
  }

  @Test("A lie that its teller repeats while the truth is asked for stays behind")
  func stubborn() throws {
    var bench = try settled()
    let lies = try lies()
    for _ in 0..<2 {
      bench.hear([lies.service, lies.host], from: Self.liar)
      bench.run(for: .ms(300))
    }
    bench.run(for: .seconds(2))
    // What Ann says ends the lie, and a goodbye in her name has her asked meanwhile.
    bench.hear(try said().all, from: Self.home)
    bench.hear([try said().pointer.living(0)], from: Self.home)
    bench.run(for: .ms(400))
    #expect(!bench.asked.isEmpty)
    bench.hear([lies.service, lies.host], from: Self.liar)
    bench.run(for: .ms(100))
    bench.hear(try said().all, from: Self.home)
    #expect(last(of: bench)?.endpoints.first == Self.place)
    bench.run(for: .seconds(30))
    #expect(last(of: bench)?.endpoints.first == Self.place && !bench.news.contains("lost"))
  }

  @Test("New strings of the same peer are taken from its address at once, and back again")
  func strings() throws {
    var bench = try settled()
    let busy = Said(announcement: try Ann.announcement(info: ["room": "busy"]))
    for room in ["busy", "lobby", "busy", "lobby"] {
      bench.hear([room == "busy" ? busy.text : try said().text], from: Self.home)
      #expect(last(of: bench)?.info == ["room": room])
      bench.run(for: .ms(400))
    }
    #expect(bench.asked.isEmpty)
  }

  @Test("Who took a peer's name stands behind the peer that goes on by another name")
  func renamed() throws {
    var bench = try settled()
    let lies = try lies()
    for _ in 0..<12 {
      bench.hear(lies.all, from: Self.liar)
      bench.run(for: .seconds(1))
    }
    #expect(last(of: bench)?.endpoints == [Endpoint(Self.liar.address, port: 666)])
    var claim = try Ann.announcement()
    claim.ordinal = 2
    bench.hear(Said(announcement: claim).all, from: Self.home)
    let peer = try #require(last(of: bench))
    #expect(peer.endpoints.first == Self.place && peer.info == ["room": "lobby"])
    #expect(!bench.news.contains("lost"))
  }

  @Test("A peer that must take another name finds room among any number that claim to be it")
  func crowdedOut() throws {
    var bench = try settled()
    for ordinal in 2...90 {
      var claim = try Ann.announcement(info: ["room": "trap"], port: UInt16(ordinal))
      claim.ordinal = ordinal
      bench.hear(Said(announcement: claim, address: Self.liar.address).all, from: Self.liar)
    }
    let lies = try lies()
    for _ in 0..<12 {
      bench.hear(lies.all, from: Self.liar)
      bench.run(for: .seconds(1))
    }
    #expect(last(of: bench)?.endpoints.allSatisfy { $0.address == Self.liar.address } == true)
    var claim = try Ann.announcement()
    claim.ordinal = 100
    bench.hear(Said(announcement: claim).all, from: Self.home)
    let peer = try #require(last(of: bench))
    #expect(peer.endpoints.first == Self.place && peer.info == ["room": "lobby"])
  }

  @Test("A peer outlives a flood of lies from ever new strangers", arguments: Seed.some(5))
  func flood(seed: Seed) throws {
    var bench = try settled()
    var random = RandomStream(seed: seed.value, name: "liars")
    let (lies, other) = (try lies(), try otherIdentity())
    let goodbyes = try said().all.map { $0.living(0) }
    for round in 1...1_200 {
      let source = IPAddress.v4(0x0A01_0000 + UInt32(random.below(60_000)))
      let address = DNSRecord(
        lies.host.name, .address(source), lifetimeSeconds: 120, flushesCache: true)
      let claims = [[lies.service, lies.text, address], [lies.service], [other], goodbyes]
      bench.hear(claims[Int(random.below(4))], from: Endpoint(source, port: DNSArrival.port))
      bench.run(for: .ms(25))
      if round % 200 == 0 { bench.hear(try said().all) }
    }
    // Asked for after each of the answers: three times, and each of its four records.
    #expect(!bench.asked.isEmpty && bench.asked.count <= 6 * 3 * 4)
    let lost = bench.reports.compactMap {
      if case .lost(let peer) = $0.report { peer.id } else { nil }
    }
    #expect(!lost.contains(Ann.id))
    for report in bench.reports {
      guard case .updated(let peer) = report.report, peer.id == Ann.id else { continue }
      #expect(peer.endpoints.first == Self.place)
    }
    bench.hear(try said().all)
    bench.run(for: .seconds(15))
    #expect(last(of: bench).map { $0.endpoints == [Self.place] } ?? bench.reports.isEmpty)
  }
}
