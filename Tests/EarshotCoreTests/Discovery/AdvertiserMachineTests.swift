import EarshotCore
import TestKit
import Testing

@Suite("An advertiser")
struct AdvertiserMachineTests {
  @Test("Announces at once, then after one and two seconds more, then never again (M37)")
  func announcements() throws {
    var bench = AdvertiserBench(try Ann.announcement())
    let start = bench.now
    bench.run(for: .seconds(3_600))
    #expect(bench.sent.map(\.at) == [start, start + .seconds(1), start + .seconds(3)])
    #expect(bench.sent.allSatisfy { $0.destination == .multicast && $0.message.isResponse })
  }

  @Test("An announcement says everything, with the lifetimes and flags that it should (M40, M42)")
  func announcedRecords() throws {
    let bench = AdvertiserBench(try Ann.announcement())
    let said = Said(announcement: try Ann.announcement())
    let types = DNSRecord(Ann.types, .pointer(Ann.domain), lifetimeSeconds: 4_500)
    #expect(bench.answers == [said.pointer, types, said.service, said.text, said.host])
  }

  @Test("A response has no questions, the id 0, and says that it is authoritative (M14, M51, M53)")
  func headers() throws {
    let bench = AdvertiserBench(try Ann.announcement())
    for packet in bench.sent {
      #expect(packet.message.questions.isEmpty && packet.message.id == 0)
      #expect(Array(packet.bytes[2...3]) == [0x84, 0x00])
    }
  }

  @Test(
    "A pointer is answered after 20 to 120 ms, with all that is wanted next",
    arguments: Seed.some(50))
  func sharedDelay(seed: Seed) throws {  // M15, D11
    var bench = AdvertiserBench.settled(try Ann.announcement(), seed: seed.value)
    let start = bench.now
    bench.ask(Ann.domain, .ptr)
    bench.run(for: .seconds(5))
    let said = Said(announcement: try Ann.announcement())
    #expect(bench.sent.count == 1)
    #expect(bench.sent.allSatisfy { ($0.at - start) >= .ms(20) && ($0.at - start) <= .ms(120) })
    #expect(bench.answers == [said.pointer])
    let more = bench.sent.flatMap(\.message.additionals)
    #expect([said.service, said.text, said.host].allSatisfy { more.contains($0) })
  }

  @Test("The delays of shared answers are spread evenly: no quarter has half of them (M15)")
  func sharedDelaySpread() throws {
    var quarters = [0, 0, 0, 0]
    for seed in Seed.some(200) {
      var bench = AdvertiserBench.settled(try Ann.announcement(), seed: seed.value)
      let start = bench.now
      bench.ask(Ann.domain, .ptr)
      bench.run(for: .seconds(1))
      let wait = try #require(bench.sent.first).at - start
      quarters[min(3, Int((wait - .ms(20)).nanoseconds / 25_000_000))] += 1
    }
    #expect(quarters.allSatisfy { $0 > 25 && $0 < 75 })
  }

  @Test("What only we can answer is answered at once (M15)")
  func uniqueAtOnce() throws {
    let said = Said(announcement: try Ann.announcement())
    for (name, record) in [
      (said.service.name, said.service), (said.text.name, said.text), (said.host.name, said.host),
    ] {
      var bench = AdvertiserBench.settled(try Ann.announcement())
      bench.ask(name, record.type)
      #expect(bench.answers == [record])
      #expect(bench.sent.map(\.at) == [bench.now])
    }
  }

  @Test("Several questions in one query are answered together, after a short wait (M21, M22)")
  func aggregation() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let (instance, host) = (bench.instance, bench.host)
    bench.hear(
      DNSMessage(asking: [
        DNSQuestion(instance, .srv), DNSQuestion(instance, .txt), DNSQuestion(host, .a),
      ]))
    #expect(bench.sent.isEmpty)
    bench.run(for: .seconds(5))
    #expect(bench.sent.count == 1)
    #expect(bench.answers.map(\.type) == [.srv, .txt, .a])
  }

  @Test("Answers that are due within half a second share a packet (M22)")
  func aggregationOverTime() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.ask(Ann.domain, .ptr)
    bench.ask(Ann.types, .ptr)
    bench.run(for: .seconds(5))
    #expect(bench.sent.count == 1)
    #expect(bench.answers.map(\.name) == [Ann.domain, Ann.types])
  }

  @Test(
    "No record is multicast twice within a second, however often it is asked for",
    arguments: Seed.some(20))
  func rateLimit(seed: Seed) throws {  // M19
    var random = seed.generator
    var bench = AdvertiserBench(try Ann.announcement(), seed: seed.value)
    for _ in 0..<200 {
      bench.run(for: random.duration(below: .ms(300)))
      let names = [(Ann.domain, DNSType.ptr), (bench.instance, .any), (bench.host, .a)]
      let (name, type) = names[Int(random.below(3))]
      bench.ask(name, type, wantsUnicast: random.below(4) == 0)
    }
    var last: [DNSRecord: Instant] = [:]
    for packet in bench.sent where packet.destination == .multicast {
      for record in packet.message.said {
        if let before = last[record] { #expect(packet.at - before >= .seconds(1)) }
        last[record] = packet.at
      }
    }
    #expect(last.count >= 5)
  }

  @Test("A question for every type is answered with every record of the name (M23)")
  func anyType() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.ask(bench.instance, .any)
    #expect(bench.answers.map(\.type) == [.srv, .txt])
  }

  @Test("A type that a name of ours has not is denied, at once (M12)")
  func negative() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.ask(bench.host, .aaaa)
    #expect(bench.answers.map(\.data) == [.types(next: bench.host, [.a])])
    bench.forget()
    bench.ask(bench.instance, .a)
    #expect(bench.answers.map(\.data) == [.types(next: bench.instance, [.txt, .srv])])
    #expect(bench.answers.allSatisfy { $0.flushesCache })
  }

  @Test("Nobody else's names are answered")
  func foreignNames() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.ask(DNSName("_other", "_tcp", "local"), .ptr)
    bench.ask(DNSName("Bob", "_chat", "_tcp", "local"), .srv)
    bench.ask(DNSName("bob", "local"), .a)
    bench.ask(Ann.domain, .txt)
    bench.run(for: .seconds(5))
    #expect(bench.sent.isEmpty)
  }

  @Test("What others said is theirs to repeat (M11)")
  func othersRecords() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let bob = Said(announcement: try Ann.announcement(id: Ann.peer(3)), address: .v4(0x0A00_0003))
    bench.hear(DNSMessage(answering: bob.all))
    for record in bob.all where record.type != .ptr { bench.ask(record.name, record.type) }
    bench.run(for: .seconds(5))
    #expect(bench.sent.isEmpty)
  }

  @Test("There are no subtypes of ours, so a question for one is nobody's (D09)")
  func subtypes() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    for type in [DNSType.ptr, .any] {
      bench.ask(DNSName("_printer", "_sub", "_chat", "_tcp", "local"), type)
    }
    bench.run(for: .seconds(5))
    #expect(bench.sent.isEmpty)
  }

  @Test("Who has nothing to tell still says strings, of which there are none but its version (D02)")
  func strings() throws {
    #expect(TextRecord([]).bytes == [0])
    var announcement = try Ann.announcement()
    announcement.info = nil
    let bench = AdvertiserBench(announcement)
    let text = bench.answers.first { $0.type == .txt }
    #expect(text?.data == .text(announcement.text.bytes))
  }

  @Test("The list of service types names ours (D10)")
  func serviceTypes() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.ask(Ann.types, .ptr)
    bench.run(for: .seconds(1))
    #expect(bench.answers.map(\.data) == [.pointer(Ann.domain)])
  }

  @Test("Names are ours in any case (M49)")
  func caseOfNames() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.ask(DNSName("_CHAT", "_Tcp", "LOCAL"), .ptr)
    bench.run(for: .seconds(1))
    #expect(bench.answers.map(\.data) == [.pointer(bench.instance)])
  }

  @Test(
    "A known answer is left out while it has half of its life left, not less (M26)",
    arguments: [(UInt32(2_250), true), (2_249, false), (4_500, true), (0, false)])
  func knownAnswers(seconds: UInt32, isSuppressed: Bool) throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let known = Said(announcement: try Ann.announcement()).pointer.living(seconds)
    bench.hear(DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)], knowing: [known]))
    bench.run(for: .seconds(5))
    #expect(bench.sent.isEmpty == isSuppressed)
  }

  @Test("Of a set that is known in part the whole is sent (M43)")
  func wholeSets() throws {
    let addresses = [IPAddress.v4(0x0A00_0001), .v4(0x0A00_0002)]
    let interface = NetworkInterface(index: 1, name: "en0", addresses: addresses)
    var bench = AdvertiserBench.settled(try Ann.announcement(), interfaces: [interface])
    let known = Said(announcement: try Ann.announcement()).host
    bench.hear(DNSMessage(asking: [DNSQuestion(bench.host, .a)], knowing: [known]))
    #expect(bench.answers.map(\.data) == addresses.map { .address($0) })
  }

  @Test(
    "When more known answers follow, the answer waits 400 to 500 ms for them",
    arguments: Seed.some(30))
  func truncated(seed: Seed) throws {  // M16, M28
    var first = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)])
    first.isTruncated = true
    var bench = AdvertiserBench.settled(try Ann.announcement(), seed: seed.value)
    let start = bench.now
    bench.hear(first)
    var known = bench
    bench.run(for: .seconds(5))
    let wait = try #require(bench.sent.first).at - start
    #expect(wait >= .ms(400) && wait <= .ms(500))

    known.run(for: .ms(100))
    let pointer = Said(announcement: try Ann.announcement()).pointer
    known.hear(DNSMessage(asking: [], knowing: [pointer]))
    known.run(for: .seconds(5))
    #expect(known.sent.isEmpty)
  }

  @Test("Ever more known answers put an answer off for a second and a half at most (M16)")
  func truncatedForEver() throws {
    var more = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)])
    more.isTruncated = true
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let start = bench.now
    bench.hear(more)
    more.questions = []
    for _ in 0..<30 {
      bench.run(for: .ms(100))
      bench.hear(more)
    }
    let wait = try #require(bench.sent.first).at - start
    #expect(wait > .ms(500) && wait <= .ms(1_500))
  }

  @Test("Known answers of one asker leave the answer to another in place (M16)")
  func truncatedByOthers() throws {
    var query = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)])
    query.isTruncated = true
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let third = Endpoint(.v4(0x0A00_0064), port: DNSArrival.port)
    bench.hear(query)
    bench.hear(query, from: third)
    let pointer = Said(announcement: try Ann.announcement()).pointer
    bench.hear(DNSMessage(asking: [], knowing: [pointer]))
    bench.run(for: .seconds(5))
    #expect(bench.answers.map(\.type) == [.ptr])
  }

  @Test("Who asks for a unicast answer gets one, and it is not multicast (M09)")
  func unicastAnswer() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.ask(Ann.domain, .ptr, wantsUnicast: true)
    bench.run(for: .seconds(5))
    #expect(bench.sent.map(\.destination) == [.unicast(AdvertiserBench.other)])
    #expect(bench.answers.map(\.type) == [.ptr])
  }

  @Test("What was not multicast for a quarter of its life is multicast all the same (M09)")
  func unicastWanted() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.run(for: .seconds(1_125))
    bench.ask(Ann.domain, .ptr, wantsUnicast: true)
    bench.run(for: .seconds(5))
    #expect(bench.sent.map(\.destination) == [.multicast])
  }

  @Test("Who asks from our own host shares the port, and is answered by multicast (M48)")
  func neighbour() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let neighbour = Endpoint(Ann.address, port: DNSArrival.port)
    bench.hear(
      DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr, wantsUnicast: true)]), from: neighbour)
    bench.run(for: .seconds(5))
    #expect(bench.sent.map(\.destination) == [.multicast])
  }

  @Test(
    "Whoever asks on this host soon after an announcement is told on this host alone (M19, M48)"
  )
  func impatientNeighbour() throws {
    let neighbour = Endpoint(Ann.address, port: DNSArrival.port)
    let query = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)])
    var bench = AdvertiserBench(try Ann.announcement())
    bench.run(for: .ms(300))
    bench.forget()
    bench.hear(query, from: AdvertiserBench.other)
    bench.run(for: .ms(500))
    #expect(bench.sent.isEmpty, "another host waits for its second")
    bench.hear(query, from: neighbour)
    bench.run(for: .ms(120))
    #expect(bench.sent.map(\.destination) == [.neighbours])
    #expect(bench.sent.first?.message.said.count ?? 0 >= 4)
    var settled = AdvertiserBench.settled(try Ann.announcement())
    settled.hear(query, from: neighbour)
    settled.run(for: .ms(120))
    #expect(settled.sent.map(\.destination) == [.multicast])
  }

  @Test(
    "A question to this host alone is answered for all to hear, if it comes from the link (M10)")
  func directQuery() throws {
    let query = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)])
    let sources = [AdvertiserBench.other, Endpoint(.v4(0x0808_0808), port: DNSArrival.port)]
    for source in sources {
      var bench = AdvertiserBench.settled(try Ann.announcement())
      let start = bench.now
      bench.hear(query, from: source, wasMulticast: false)
      bench.run(for: .seconds(5))
      guard source == AdvertiserBench.other else {
        #expect(bench.sent.isEmpty)
        continue
      }
      #expect(bench.sent.map(\.destination) == [.multicast])
      #expect(bench.sent.allSatisfy { $0.at - start >= .ms(20) && $0.at - start <= .ms(120) })
      #expect(bench.sent[0].message.said.count >= 4)
    }
  }

  @Test("Many questions to this host alone are answered once a second, and odd ones never")
  func directQueries() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let pointer = DNSQuestion(Ann.domain, .ptr)
    let known = Said(announcement: try Ann.announcement()).pointer
    let other = DNSQuestion(DNSName("_other", "_tcp", "local"), .ptr)
    let strange = [
      DNSMessage(asking: [pointer], knowing: [known]), DNSMessage(asking: [other]),
      DNSMessage(asking: [DNSQuestion(bench.host, .txt)]),
    ]
    for message in strange { bench.hear(message, wasMulticast: false) }
    bench.run(for: .seconds(2))
    #expect(bench.sent.isEmpty)
    for _ in 0..<100 {
      bench.hear(DNSMessage(asking: [pointer]), wasMulticast: false)
      bench.run(for: .ms(100))
    }
    #expect((9...11).contains(bench.sent.count))
  }

  @Test(
    "A resolver of unicast DNS is answered in its own terms, whomever it asks (M10, M25, M51)",
    arguments: [true, false])
  func legacy(wasMulticast: Bool) throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let resolver = Endpoint(.v4(0x0A00_0063), port: 40_000)
    var query = DNSMessage(asking: [DNSQuestion(bench.instance, .srv)])
    query.id = 4_711
    let distant = Endpoint(.v4(0x0808_0808), port: 40_000)
    bench.hear(query, from: distant, wasMulticast: wasMulticast)
    #expect(bench.sent.isEmpty)
    bench.hear(query, from: resolver, wasMulticast: wasMulticast)
    let packet = try #require(bench.sent.first)
    #expect(packet.destination == .unicast(resolver) && packet.at == bench.now)
    #expect(packet.message.id == 4_711 && packet.message.questions == query.questions)
    #expect(packet.message.said.allSatisfy { !$0.flushesCache && $0.lifetimeSeconds <= 10 })
    #expect(packet.message.said.map(\.type) == [.srv, .a])
    bench.run(for: .seconds(5))
    #expect(bench.sent.count == 1)
  }

  @Test("Resolvers of unicast DNS have a budget each, and those with forged addresses one together")
  func legacyBudget() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let query = DNSMessage(asking: [DNSQuestion(bench.instance, .srv)])
    func ask(from address: UInt32, times: Int) -> Int {
      let before = bench.sent.count
      for _ in 0..<times { bench.hear(query, from: Endpoint(.v4(address), port: 40_000)) }
      return bench.sent.count - before
    }
    #expect(ask(from: 0x0A00_0063, times: 100) == 20)
    #expect(ask(from: 0x0A00_0064, times: 1) == 1)
    let forged = (0..<10_000).reduce(0) { $0 + ask(from: 0x0A01_0000 + UInt32($1), times: 1) }
    #expect(forged < 400)
    bench.run(for: .seconds(1))
    #expect(ask(from: 0x0A00_0063, times: 1) == 1)
  }

  @Test("Messages of another kind are ignored (M52)")
  func strangeMessages() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    var query = DNSMessage(asking: [DNSQuestion(bench.instance, .any)])
    query.isOrdinary = false
    bench.hear(query)
    #expect(bench.sent.isEmpty)
  }

  @Test("An answer that somebody else gives is not given again (M30)")
  func duplicateAnswer() throws {
    let types = DNSRecord(Ann.types, .pointer(Ann.domain), lifetimeSeconds: 4_500)
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.ask(Ann.types, .ptr)
    var short = bench
    bench.hear(DNSMessage(answering: [types]))
    bench.run(for: .seconds(5))
    #expect(bench.sent.isEmpty)
    short.hear(DNSMessage(answering: [types.living(4_499)]))
    short.run(for: .seconds(5))
    #expect(short.answers == [types])
  }

  @Test("Who gives a record of ours less than half of its life is corrected (M24, M56)")
  func tooShort() throws {
    let said = Said(announcement: try Ann.announcement())
    for record in [said.service.living(59), said.text.living(0), said.pointer.living(1)] {
      var bench = AdvertiserBench.settled(try Ann.announcement())
      bench.hear(DNSMessage(answering: [record]))
      #expect(bench.answers.map(\.data) == [record.data])
      #expect(bench.answers.allSatisfy { $0.lifetimeSeconds > record.lifetimeSeconds })
    }
  }

  @Test("Each interface hears its own addresses and no others (M20, M47)")
  func interfaces() throws {
    let second = NetworkInterface(index: 2, name: "en1", addresses: [.v4(0xC0A8_0001)])
    let bench = AdvertiserBench(try Ann.announcement(), interfaces: [Ann.interface, second])
    let addresses = bench.sent.map { packet in
      (packet.interface, packet.message.said.filter { $0.type == .a }.map(\.data))
    }
    #expect(addresses.map(\.0) == [1, 2])
    #expect(addresses.map(\.1) == [[.address(Ann.address)], [.address(.v4(0xC0A8_0001))]])
  }

  @Test("Who is contradicted on one interface says its records again on all (M47)")
  func defence() throws {
    let second = NetworkInterface(index: 2, name: "en1", addresses: [.v4(0xC0A8_0001)])
    var bench = AdvertiserBench.settled(
      try Ann.announcement(), interfaces: [Ann.interface, second])
    let other = Said(announcement: try Ann.announcement(port: 666))
    bench.hear(DNSMessage(answering: [other.service]), on: 2)
    #expect(bench.sent.map(\.interface) == [1, 2])
    for packet in bench.sent {
      #expect(Set(packet.message.answers.map(\.type)).isSuperset(of: [.srv, .txt, .a]))
    }
  }

  @Test("An interface that appears or changes is told everything, the others nothing (M31)")
  func changedInterfaces() throws {
    let second = NetworkInterface(index: 2, name: "en1", addresses: [.v4(0xC0A8_0001)])
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.handle(.interfacesChanged([Ann.interface, second]))
    bench.run(for: .seconds(10))
    #expect(bench.sent.map(\.interface) == [2, 2, 2])
    bench.forget()
    let moved = NetworkInterface(index: 1, name: "en0", addresses: [.v4(0x0A00_0007)])
    bench.handle(.interfacesChanged([moved, second]))
    #expect(bench.sent.map(\.interface) == [1])
    #expect(bench.answers.contains { $0.data == .address(.v4(0x0A00_0007)) })
    bench.hear([Said(announcement: try Ann.announcement()).host])  // The address of a moment ago.
    bench.run(for: .seconds(10))
    #expect(bench.machine.announcement.ordinal == 1 && bench.sent.count == 3)
  }

  @Test("An interface that loses its last address of a family takes that family back")
  func lostFamily() throws {
    let (four, six) = (Ann.address, IPAddress.v6(0xFE80 << 48, 1, scope: 1))
    for (lost, kept) in [(four, six), (six, four)] {
      let both = NetworkInterface(index: 1, name: "en0", addresses: [four, six])
      var bench = AdvertiserBench.settled(try Ann.announcement(), interfaces: [both])
      let rest = NetworkInterface(index: 1, name: "en0", addresses: [kept])
      bench.handle(.interfacesChanged([rest]))
      bench.run(for: .seconds(30))
      let goodbyes = bench.answers.filter { $0.lifetimeSeconds == 0 }
      #expect(goodbyes.count == 3)
      #expect(Set(goodbyes.map(\.data)) == [.address(lost.withoutScope)])
      #expect(goodbyes.allSatisfy { $0.name == bench.host })
      bench.forget()
      bench.handle(.interfacesChanged([both]))
      bench.run(for: .seconds(10))
      #expect(bench.answers.allSatisfy { $0.lifetimeSeconds > 0 })
      // Also after it was gone meanwhile.
      bench.handle(.interfacesChanged([]))
      bench.run(for: .seconds(1))
      bench.forget()
      bench.handle(.interfacesChanged([rest]))
      #expect(bench.answers.contains { $0.data == .address(lost.withoutScope) })
      // What comes back is not taken back.
      bench.handle(.interfacesChanged([both]))
      bench.forget()
      bench.run(for: .seconds(30))
      #expect(!bench.answers.isEmpty && bench.answers.allSatisfy { $0.lifetimeSeconds > 0 })
    }
  }

  @Test("An interface with another address of the same family takes nothing back")
  func movedFamily() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let moved = NetworkInterface(index: 1, name: "en0", addresses: [.v4(0x0A00_0007)])
    bench.handle(.interfacesChanged([moved]))
    bench.run(for: .seconds(10))
    #expect(!bench.answers.isEmpty && bench.answers.allSatisfy { $0.lifetimeSeconds > 0 })
  }

  @Test("After a sleep everything is announced again (M31)")
  func restart() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.handle(.restartRequested)
    bench.run(for: .seconds(10))
    #expect(bench.sent.count == 3)
  }

  @Test("After a sleep the next wake is asked for again, since the last one may be lost (M31)")
  func wakes() throws {
    let bench = AdvertiserBench.settled(try Ann.announcement())
    var machine = bench.machine
    let wakes = (0..<2).map { _ in
      var actions: [AdvertiserMachine.Action] = []
      machine.handle(.restartRequested, at: bench.now, into: &actions)
      return actions.contains(.wake(at: bench.now + .seconds(1)))
    }
    #expect(wakes == [true, true])
  }

  @Test("What changes is announced again, and only that (M38)")
  func update() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    bench.handle(.updateRequested(try DiscoveryInfo(["room": "bar"]), port: 7_100))
    let text = Said(announcement: try Ann.announcement(info: ["room": "bar"])).text
    #expect(bench.answers == [text])
    bench.hear([Said(announcement: try Ann.announcement()).text])  // Ours of a moment ago.
    bench.run(for: .seconds(10))
    #expect(bench.answers == [text, text, text])
    bench.forget()
    bench.handle(.updateRequested(try DiscoveryInfo(["room": "bar"]), port: 7_200))
    #expect(bench.answers.map(\.type) == [.srv])
  }

  @Test("Another name is announced in the strings, below the names in DNS that stay")
  func rename() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let (instance, host) = (bench.instance, bench.host)
    bench.handle(.renameRequested(try DisplayName("Annie")))
    bench.run(for: .seconds(10))
    #expect(bench.instance == instance && bench.host == host && bench.answers.count == 3)
    #expect(bench.answers.allSatisfy { $0.name == instance && $0.type == .txt })
    let heard = bench.answers.compactMap { record -> String? in
      guard case .text(let bytes) = record.data else { return nil }
      return DiscoveredPeer(instance: instance, text: TextRecord(bytes: bytes), endpoints: [])?.name
    }
    #expect(heard == ["Annie", "Annie", "Annie"])
    bench.forget()
    bench.handle(.renameRequested(try DisplayName("Annie")))
    #expect(bench.sent.isEmpty)
    bench.handle(.renameRequested(try DisplayName("Ann")))
    #expect(bench.answers == [Said(announcement: try Ann.announcement()).text])
  }

  @Test("Ten updates are announced within a minute, and the last one in the end (M38)")
  func manyUpdates() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let start = bench.now
    for number in 0..<50 {
      bench.handle(.updateRequested(try DiscoveryInfo(["count": "\(number)"]), port: 7_100))
      bench.run(for: .seconds(1))
    }
    #expect(Set(bench.answers.map(\.data)).count == 10)
    bench.run(for: .seconds(60))
    let last = Said(announcement: try Ann.announcement(info: ["count": "49"])).text
    #expect(bench.answers.last == last)
    #expect(bench.sent.last.map { $0.at - start < .seconds(70) } == true)
  }

  @Test("Of a hundred updates within a second the last one is announced a second later (M38)")
  func updatesAtOnce() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    for round in 0..<9 {
      bench.forget()
      let start = bench.now
      for number in 0..<100 {
        let info = try DiscoveryInfo(["count": "\(round) \(number)"])
        bench.handle(.updateRequested(info, port: 7_100))
        bench.run(for: .milliseconds(10))
      }
      bench.run(for: .seconds(4))
      let last = Said(announcement: try Ann.announcement(info: ["count": "\(round) 99"])).text
      let isInTime = bench.sent.contains {
        $0.message.answers == [last] && $0.at - start <= .seconds(2)
      }
      #expect(isInTime == (round < 5), "two of ten a minute")
      #expect(Set(bench.answers.map(\.data)).count <= 2)
    }
  }

  @Test("A goodbye ends what is ours alone, said thrice at once, and then all is silent (M41)")
  func goodbye() throws {
    var bench = AdvertiserBench.settled(try Ann.announcement())
    let said = Said(announcement: try Ann.announcement())
    bench.handle(.withdrawRequested)
    let goodbye = [said.pointer, said.service, said.text].map { $0.living(0) }
    #expect(bench.sent.map(\.message.answers) == [goodbye, goodbye, goodbye])
    bench.forget()
    bench.ask(Ann.domain, .ptr)
    bench.ask(bench.instance, .srv)
    bench.handle(.restartRequested)
    bench.run(for: .seconds(60))
    #expect(bench.sent.isEmpty)
  }

  @Test("An advertiser that nobody asks sends three packets and then none")
  func chattiness() throws {
    var bench = AdvertiserBench(try Ann.announcement())
    bench.run(for: .seconds(10))
    #expect(bench.sent.count == 3)
    bench.forget()
    bench.run(for: .seconds(100_000))
    #expect(bench.sent.isEmpty)
  }
}

extension AdvertiserBench {
  mutating func hear(_ records: [DNSRecord]) { hear(DNSMessage(answering: records)) }
}
