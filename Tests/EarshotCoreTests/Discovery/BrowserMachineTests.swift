import EarshotCore
import TestKit
import Testing

@Suite("A browser")
struct BrowserMachineTests {
  private func said() throws -> Said { Said(announcement: try Ann.announcement()) }

  /// A browser that has found Ann and is quiet for the next half hour.
  private func settled() throws -> BrowserBench {
    var bench = try BrowserBench()
    bench.run(for: .seconds(70))
    bench.hear(try said().all)
    bench.forget()
    return bench
  }

  @Test("Asks after 20 to 120 ms, then less and less often up to an hour", arguments: Seed.some(20))
  func schedule(seed: Seed) throws {  // M05, M06
    var bench = try BrowserBench(seed: seed.value)
    let start = bench.now
    bench.run(for: .seconds(20_000))
    let times = bench.times(of: Ann.domain, .ptr)
    #expect(times[0] - start >= .ms(20) && times[0] - start <= .ms(120))
    let waits = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(waits[0] >= .seconds(1) && waits.count > 12)
    for (wait, last) in zip(waits.dropFirst(), waits) {
      #expect(wait >= min(last * 2, .seconds(3_240)))
    }
  }

  @Test("Only the first question of a series wants its answers by unicast (M08)")
  func firstQuestion() throws {
    var bench = try BrowserBench()
    bench.run(for: .seconds(100))
    for type in [DNSType.ptr, .any] {
      let series = bench.asked.filter { $0.question.type == type }
      #expect(series.count >= 3)
      #expect(series.map(\.question.wantsUnicast).firstIndex(of: false) == 1)
      #expect(series.dropFirst().allSatisfy { !$0.question.wantsUnicast })
    }
    bench.forget()
    bench.handle(.interfacesChanged([1, 2].map { Ann.interface($0) }))
    bench.run(for: .milliseconds(400))
    #expect(bench.asked.map(\.question.wantsUnicast) == [true, true])
    #expect(bench.sent.map(\.interface) == [1, 2])
  }

  @Test(
    "Over one family a lonely browser asks in other words between, at growing intervals (M06)")
  func otherWords() throws {
    var bench = try BrowserBench()
    let begin = bench.now
    bench.run(for: .seconds(600))
    let asked = bench.asked.filter { $0.question.type == .any }
    #expect(asked.count == 3 && asked.allSatisfy { $0.question.name == Ann.domain })
    #expect(asked.allSatisfy { $0.at < begin + .seconds(5) })
    let waits = zip(asked.dropFirst(), asked).map { $0.at - $1.at }
    #expect(waits[0] >= .seconds(1) && waits[1] >= waits[0] * 2)
  }

  @Test("Who has company, or both families, asks in the usual words alone")
  func usualWords() throws {
    var crowded = try BrowserBench()
    for index in UInt64(10)..<14 {
      let announcement = try Ann.announcement(id: Ann.peer(index))
      crowded.hear(Said(announcement: announcement).all)
    }
    crowded.run(for: .seconds(10))
    let asked = crowded.asked.filter { $0.question.name == Ann.domain }
    #expect(asked.count >= 2 && asked.allSatisfy { $0.question.type == .ptr })
    var dual = try BrowserBench()
    let addresses = [Ann.address, .v6(0xFE80 << 48, 1, scope: 1)]
    dual.handle(.interfacesChanged([Ann.interface(1, addresses: addresses)]))
    dual.run(for: .seconds(10))
    #expect(dual.asked.count >= 3 && dual.asked.allSatisfy { $0.question.type == .ptr })
  }

  @Test("A browser that lost its last interface asks at once when it has one again")
  func interfaceComesBack() throws {
    var bench = try settled()
    bench.handle(.interfacesChanged([]))
    #expect(bench.news == ["lost"])
    bench.run(for: .seconds(60))
    bench.forget()
    bench.handle(.interfacesChanged([Ann.interface]))
    bench.run(for: .ms(121))
    #expect(bench.asked.contains { $0.question.name == Ann.domain })
    bench.hear(try said().all)
    #expect(bench.news == ["found"])
  }

  @Test("A peer is found once, when everything about it is known")
  func found() throws {
    var bench = try BrowserBench()
    bench.hear(try said().all)
    bench.hear(try said().all)
    let service = DiscoveredPeer(
      id: Ann.id, name: "Ann", info: try DiscoveryInfo(["room": "lobby"]),
      endpoints: [Endpoint(Ann.address, port: 7_100)])
    #expect(bench.reports.map(\.report) == [.found(service)])
  }

  @Test("The order of the records and of the packets does not matter", arguments: Seed.some(50))
  func anyOrder(seed: Seed) throws {
    var random = seed.generator
    var bench = try BrowserBench(seed: seed.value)
    for record in try said().all.shuffled(using: &random) { bench.hear([record]) }
    if bench.news.isEmpty {  // An address that came before its host was known is asked for.
      bench.run(for: .ms(200))
      let question = DNSQuestion(try said().host.name, .a)
      #expect(bench.asked.contains { $0.question == question })
      bench.hear([try said().host])
    }
    #expect(bench.news == ["found"])
  }

  @Test("We never find ourselves, and never ask after ourselves")
  func ourselves() throws {
    var bench = try BrowserBench(as: Ann.id)
    bench.hear(try said().all)
    bench.run(for: .seconds(10_000))
    #expect(bench.reports.isEmpty)
    #expect(bench.asked.allSatisfy { $0.question.name == Ann.domain })
  }

  @Test("What is missing is asked for, at growing intervals (M06, D11)")
  func missing() throws {
    var bench = try BrowserBench()
    bench.run(for: .seconds(40))
    bench.forget()
    bench.hear([try said().pointer])
    bench.run(for: .seconds(10))
    let name = try said().service.name
    #expect(bench.times(of: name, .srv).count == 4 && bench.times(of: name, .txt).count == 4)
    bench.hear([try said().service, try said().text])
    bench.forget()
    bench.run(for: .seconds(2))
    #expect(Set(bench.asked.map(\.question.type)) == [.a, .aaaa])
    bench.hear([try said().host])
    bench.forget()
    bench.run(for: .seconds(10))
    #expect(bench.asked.allSatisfy { $0.question.name == Ann.domain })
  }

  @Test(
    "Records are asked for again at 80, 85, 90 and 95 % of their life, up to 2 % later (M07)",
    arguments: Seed.some(20))
  func refresh(seed: Seed) throws {
    var bench = try BrowserBench(seed: seed.value)
    bench.run(for: .seconds(70))
    bench.hear(try said().all)
    bench.forget()
    let start = bench.now
    bench.run(for: .seconds(130))
    let times = bench.asked.filter { $0.question.name != Ann.domain }.map { $0.at - start }
      .filter { $0 < .seconds(120) }
    #expect(times.count == 4, "one answer says all that lives as long")
    for (time, percent) in zip(times, [80, 85, 90, 95]) {
      let lifetime = Duration.seconds(120)
      #expect(time >= lifetime * percent / 100 && time <= lifetime * (percent + 2) / 100)
    }
  }

  @Test("Nothing is answered by who only knows of others (M11)")
  func noAnswers() throws {
    var bench = try settled()
    let said = try said()
    for record in said.all {
      bench.hear(DNSMessage(asking: [DNSQuestion(record.name, record.type)]))
      bench.hear(DNSMessage(asking: [DNSQuestion(record.name, .any, wantsUnicast: true)]))
    }
    bench.run(for: .seconds(5))
    #expect(!bench.sent.contains { $0.message.isResponse })
  }

  @Test("A record that is said again lives on, and nothing is reported")
  func refreshed() throws {
    var bench = try settled()
    for _ in 0..<100 {
      bench.run(for: .seconds(100))
      bench.hear(try said().all)
    }
    #expect(bench.reports.isEmpty)
  }

  @Test("Silence ends a peer when its host's records end (M40)")
  func silence() throws {
    var bench = try settled()
    let start = bench.now
    bench.run(for: .seconds(5_000))
    #expect(bench.news == ["lost"])
    #expect(bench.reports.map { $0.at - start } == [.seconds(120)])
  }

  @Test(
    "A goodbye is believed after a second, from a host that may not answer yet a little later (M41)",
    arguments: [(2_000, 1_000), (500, 1_750)])
  func goodbye(silence: Int, wait: Int) throws {
    for record in try [said().pointer, said().service] {
      var bench = try settled()
      bench.run(for: .ms(silence))
      let start = bench.now
      bench.hear([record.living(0)])
      bench.run(for: .seconds(30))
      #expect(bench.reports.map { $0.at - start } == [.ms(wait)])
      #expect(bench.news == ["lost"])
    }
  }

  @Test("A goodbye that is taken back within a second goes unnoticed (M41, M56)")
  func spoofedGoodbye() throws {
    var bench = try settled()
    bench.hear(try said().all.map { $0.living(0) })
    bench.run(for: .ms(500))
    bench.hear(try said().all)
    bench.run(for: .seconds(30))
    #expect(!bench.news.contains("lost"))
  }

  @Test("The goodbye of what was never said changes nothing")
  func strayGoodbye() throws {
    var bench = try BrowserBench()
    bench.hear(try said().all.map { $0.living(0) })
    bench.run(for: .seconds(5))
    #expect(bench.reports.isEmpty)
  }

  @Test("What replaces the old is reported at once, and the old is gone a second later (M42)")
  func cacheFlush() throws {
    var bench = try settled()
    bench.run(for: .seconds(5))
    let news = Said(
      announcement: try Ann.announcement(info: ["room": "bar"]), address: .v4(0x0A00_0009))
    bench.hear([news.text, news.host])
    let service = DiscoveredPeer(
      id: Ann.id, name: "Ann", info: try DiscoveryInfo(["room": "bar"]),
      endpoints: [Endpoint(.v4(0x0A00_0009), port: 7_100)])
    #expect(bench.reports.last?.report == .updated(service))
    let count = bench.reports.count
    bench.run(for: .seconds(10))
    #expect(bench.reports.count == count)
  }

  @Test("What comes within a second belongs to the same whole (M42)")
  func sameWhole() throws {
    var bench = try BrowserBench()
    bench.hear(try said().all)
    bench.run(for: .ms(900))
    bench.hear([Said(announcement: try Ann.announcement(), address: .v4(0x0A00_0009)).host])
    bench.run(for: .seconds(10))
    guard case .updated(let service)? = bench.reports.last?.report else {
      Issue.record("no update")
      return
    }
    #expect(service.endpoints.count == 2)
  }

  @Test("What is known for half of its life is said in the question, with the time left (M26, M27)")
  func knownAnswers() throws {
    var bench = try settled()
    bench.run(for: .seconds(90))
    let query = try #require(bench.sent.first { !$0.message.answers.isEmpty })
    let rest = try #require(query.message.answers.first)
    #expect(rest.data == (try said().pointer.data) && !rest.flushesCache)
    #expect(rest.lifetimeSeconds < 4_500 && rest.lifetimeSeconds >= 4_410)

    var old = try BrowserBench()
    old.hear([try said().pointer.living(200)])
    old.run(for: .seconds(101))
    old.forget()
    old.run(for: .seconds(50))
    #expect(old.times(of: Ann.domain, .ptr).count == 1)
    #expect(old.sent.allSatisfy { $0.message.answers.isEmpty })
  }

  @Test(
    "Every question for the service lists what this host advertises of it, and no longer than that")
  func ownInstances() throws {
    let (anns, own) = (
      try said().pointer, Said(announcement: try Ann.announcement(id: Ann.peer(2))).pointer
    )
    let names = try ["chat", "game"].map { type in
      Announcement(
        of: Ann.peer(2), named: try DisplayName("Ann"), offering: try ServiceType(type), on: 7_100
      ).instanceName
    }
    var bench = try BrowserBench()
    bench.handle(.advertisedChanged(names))
    bench.hear(try said().all)
    bench.run(for: .seconds(60))
    let queries = bench.sent.filter { $0.message.questions.contains { $0.name == Ann.domain } }
    #expect(queries.count >= 4)
    for query in queries {
      #expect(query.message.answers.map(\.data) == [own.data, anns.data])
      #expect(query.message.answers.first?.lifetimeSeconds == own.lifetimeSeconds)
      #expect(query.message.answers.allSatisfy { $0.name == Ann.domain && !$0.flushesCache })
    }
    bench.forget()
    bench.handle(.advertisedChanged([]))
    bench.run(for: .seconds(300))
    let later = bench.sent.filter { $0.message.questions.contains { $0.name == Ann.domain } }
    #expect(!later.isEmpty)
    #expect(later.allSatisfy { !$0.message.answers.map(\.data).contains(own.data) })
  }

  @Test("What an asker says it knows is not believed (M27)")
  func foreignKnownAnswers() throws {
    var bench = try BrowserBench()
    let all = try said().all
    bench.hear(DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)], knowing: all))
    bench.run(for: .seconds(1))
    #expect(bench.reports.isEmpty)
    #expect(bench.asked.allSatisfy { $0.question.name == Ann.domain })
  }

  /// A browser a second before it asks for the service again, and when that is.
  private func aboutToAsk() throws -> (bench: BrowserBench, due: Instant) {
    var bench = try settled()
    var later = bench
    later.run(for: .seconds(300))
    let due = try #require(later.times(of: Ann.domain, .ptr).first)
    bench.run(for: due - bench.now - .seconds(1))
    return (bench, due)
  }

  @Test("Somebody else's question stands for ours when it is nearly due (M29)")
  func duplicateQuestion() throws {
    let query = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)], knowing: [try said().pointer])
    var (bench, due) = try aboutToAsk()
    bench.hear(query)
    bench.run(for: .seconds(30))
    #expect(bench.times(of: Ann.domain, .ptr).isEmpty)
    var early = try settled()
    early.run(for: (due - early.now) / 20)  // Less than half of the wait.
    early.hear(query)
    early.run(for: .seconds(300))
    #expect(early.times(of: Ann.domain, .ptr).first == due)
  }

  @Test("A question that hides answers we do not have does not stand for ours (M29)")
  func narrowerQuestion() throws {
    var (bench, due) = try aboutToAsk()
    let other = Said(announcement: try Ann.announcement(id: Ann.peer(7))).pointer
    let known = [try said().pointer, other]
    bench.hear(DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)], knowing: known))
    bench.run(for: .seconds(30))
    #expect(bench.times(of: Ann.domain, .ptr).first == due)
  }

  @Test("Whoever lists us among what it knows asks for us as well (M29)")
  func listsUs() throws {
    var (bench, _) = try aboutToAsk()
    let own = Said(announcement: try Ann.announcement(id: Ann.peer(2))).pointer
    let known = [own, try said().pointer]
    bench.hear(DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)], knowing: known))
    bench.run(for: .seconds(30))
    #expect(bench.times(of: Ann.domain, .ptr).isEmpty)
  }

  @Test("A question whose list goes on stands for ours unless the rest is news (M28, M29)")
  func longQuestion() throws {
    let other = Said(announcement: try Ann.announcement(id: Ann.peer(7))).pointer
    for (rest, isNews) in [(try said().pointer, false), (other, true)] {
      var (bench, due) = try aboutToAsk()
      var query = DNSMessage(
        asking: [DNSQuestion(Ann.domain, .ptr)], knowing: [try said().pointer])
      query.isTruncated = true
      bench.hear(query)
      bench.hear(DNSMessage(asking: [], knowing: [rest]))
      var late = bench
      bench.run(for: .seconds(30))
      #expect(bench.times(of: Ann.domain, .ptr).first == (isNews ? due : nil))
      late.run(for: .ms(1_001))
      late.hear(DNSMessage(asking: [], knowing: [other]))
      late.run(for: .seconds(30))
      #expect(late.times(of: Ann.domain, .ptr).first == (isNews ? due : nil))
    }
  }

  @Test("Answers to us alone are believed for two seconds after we wished for them (M18)")
  func unicastAnswers() throws {
    let answer = DNSMessage(answering: try said().all)
    var early = try BrowserBench()
    early.hear(answer, wasMulticast: false)
    #expect(early.reports.isEmpty)
    early.run(for: .seconds(2))
    early.hear(answer, wasMulticast: false)
    #expect(early.news == ["found"])
    var late = try BrowserBench()
    late.run(for: .seconds(3))
    late.hear(answer, wasMulticast: false)
    #expect(late.reports.isEmpty)
  }

  @Test(
    "Responses from another port, of another kind or with questions are dealt with (M14, M17, M52)")
  func strangeResponses() throws {
    var bench = try BrowserBench()
    var answer = DNSMessage(answering: try said().all)
    bench.hear(answer, from: Endpoint(Ann.address, port: 4_000))
    answer.isOrdinary = false
    bench.hear(answer)
    #expect(bench.reports.isEmpty)
    answer.isOrdinary = true
    answer.questions = [DNSQuestion(Ann.domain, .ptr)]
    bench.hear(answer)
    #expect(bench.news == ["found"])
  }

  @Test("An unreachable peer that is silent for ten seconds is lost (M44)")
  func reconfirm() throws {
    var bench = try settled()
    let start = bench.now
    bench.handle(.reconfirmRequested(Ann.id))
    bench.run(for: .seconds(20))
    #expect(
      bench.times(of: try said().service.name, .srv).map { $0 - start }.prefix(3) == [
        .zero, .seconds(2), .seconds(5),
      ])
    #expect(bench.times(of: Ann.domain, .ptr).count >= 2)
    #expect(bench.news == ["lost"])
    #expect(bench.reports.map { $0.at - start } == [.seconds(10)])
  }

  @Test("An unreachable peer that answers stays (M44)")
  func reconfirmed() throws {
    var bench = try settled()
    bench.handle(.reconfirmRequested(Ann.id))
    bench.run(for: .seconds(3))
    bench.hear(try said().all)
    bench.run(for: .seconds(30))
    #expect(bench.reports.isEmpty)
  }

  @Test(
    "What others ask for twice in vain is gone in ten seconds, our own question unanswered too (M45)"
  )
  func passiveObservation() throws {
    let query = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)])
    let third = Endpoint(.v4(0x0A00_0064), port: DNSArrival.port)
    var bench = try settled()
    bench.hear(query, from: third)
    bench.run(for: .seconds(2))
    bench.forget()
    let start = bench.now
    bench.hear(query, from: third)
    var answered = bench
    bench.run(for: .seconds(20))
    let asked = bench.times(of: Ann.domain, .ptr).map { $0 - start }
    #expect(asked[0] >= .seconds(8) && asked[0] < .seconds(9))
    #expect(asked[1] - asked[0] == .seconds(1))
    #expect(bench.reports.map { $0.at - start } == [.seconds(10)])
    #expect(bench.news == ["lost"])
    #expect(asked.count { $0 > .seconds(10) && $0 < .seconds(15) } >= 2, "it may be back soon")
    answered.run(for: .seconds(1))
    answered.hear([try said().pointer])
    answered.run(for: .seconds(20))
    #expect(answered.reports.isEmpty && answered.sent.isEmpty)
  }

  @Test("Whoever asks for all is not doubted, though it neither lists nor answers itself (M45)")
  func askerIsNotDoubted() throws {
    var bench = try settled()
    for _ in 0..<4 {
      bench.hear(
        DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)]),
        from: Endpoint(Ann.address, port: DNSArrival.port))
      bench.run(for: .seconds(5))
    }
    #expect(bench.reports.isEmpty && bench.sent.isEmpty)
  }

  @Test("What others ask for in vain is not asked for by us too while they ask (M29, M45)")
  func doubtedTogether() throws {
    let third = Endpoint(.v4(0x0A00_0064), port: DNSArrival.port)
    let query = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)])
    var bench = try settled()
    for _ in 0..<2 { bench.hear(query, from: third) }
    bench.forget()
    // At eight seconds and at nine, just before us.
    bench.run(for: .seconds(8))
    bench.hear(query, from: third)
    bench.run(for: .seconds(1))
    bench.hear(query, from: third)
    #expect(bench.asked.isEmpty)
    bench.run(for: .seconds(1))
    #expect(bench.news == ["lost"])
  }

  @Test("What comes due within some seconds is asked for in one packet, once for each peer")
  func askedAlong() throws {
    var bench = try BrowserBench()
    bench.run(for: .seconds(70))
    let others = try (10..<20).map { try Ann.announcement(id: Ann.peer($0)) }
    var heard: [DNSName: Instant] = [:]
    for announcement in others {
      bench.hear(Said(announcement: announcement).all)
      heard[announcement.instanceName] = bench.now
      heard[announcement.hostName] = bench.now
      bench.run(for: .ms(500))
    }
    bench.forget()
    bench.run(for: .seconds(97))
    let asked = bench.asked.filter { $0.question.name != Ann.domain }
    #expect(Set(asked.map(\.at)).count <= 2 && asked.count == 10)
    for (time, question) in asked {
      let age = time - (try #require(heard[question.name]))
      #expect(age >= .seconds(90) && age <= .milliseconds(98_400))
    }
    #expect(asked.count == Set(asked.map { heard[$0.question.name] }).count)
  }

  @Test("Only the latest of what was said is shown, also while it takes its leave (M41, M42)")
  func replacedAndGone() throws {
    var bench = try settled()
    let newer = Said(announcement: try Ann.announcement(info: ["room": "bar"]))
    bench.hear(try said().all)
    bench.run(for: .ms(500))  // So soon that the former strings belong to the same whole.
    bench.hear([newer.text])
    var goodbye = [newer.pointer, newer.service, newer.text]
    for index in goodbye.indices { goodbye[index].lifetimeSeconds = 0 }
    bench.run(for: .ms(100))
    bench.hear(goodbye)
    bench.run(for: .seconds(2))
    #expect(bench.news == ["updated", "lost"])
  }

  @Test("A question that lists an answer, or wants it alone, says nothing about it (M45)")
  func passiveObservationOfKnown() throws {
    var bench = try settled()
    for _ in 0..<5 {
      let pointer = try said().pointer
      bench.hear(DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)], knowing: [pointer]))
      bench.hear(DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr, wantsUnicast: true)]))
      bench.run(for: .seconds(4))
    }
    #expect(bench.reports.isEmpty && bench.sent.isEmpty)
  }

  @Test("After a sleep, who does not answer within ten seconds is lost (M31, M44)")
  func restart() throws {
    var bench = try settled()
    bench.handle(.restartRequested)
    let start = bench.now
    bench.run(for: .seconds(20))
    #expect(bench.sent.first?.message.answers.isEmpty == true)
    #expect(bench.reports.map { $0.at - start } == [.seconds(10)])
    var awake = try settled()
    awake.handle(.restartRequested)
    awake.run(for: .ms(200))
    awake.hear(try said().all)
    awake.run(for: .seconds(20))
    #expect(awake.reports.isEmpty)
  }

  @Test("What came in on an interface that is gone is forgotten")
  func interfaceGone() throws {
    var bench = try BrowserBench(interfaces: [1, 2])
    bench.hear(try said().all, on: 1)
    bench.hear(Said(announcement: try Ann.announcement(), address: .v4(0xC0A8_0001)).all, on: 2)
    bench.forget()
    bench.handle(.interfacesChanged([Ann.interface(2)]))
    guard case .updated(let service)? = bench.reports.last?.report else {
      Issue.record("no update")
      return
    }
    #expect(service.endpoints == [Endpoint(.v4(0xC0A8_0001), port: 7_100)])
    bench.handle(.interfacesChanged([]))
    #expect(bench.news == ["updated", "lost"])
  }

  @Test("A link-local address carries the interface that it was heard on")
  func scopes() throws {
    var bench = try BrowserBench(interfaces: [7])
    let address = IPAddress.v6(0xFE80_0000_0000_0000, 1, scope: 0)
    bench.hear(Said(announcement: try Ann.announcement(), address: address).all, on: 7)
    guard case .found(let service)? = bench.reports.last?.report else {
      Issue.record("nothing found")
      return
    }
    #expect(
      service.endpoints == [Endpoint(.v6(0xFE80_0000_0000_0000, 1, scope: 7), port: 7_100)])
  }

  @Test("Nobody is sent to a group, to nowhere or to themselves")
  func badAddresses() throws {
    let loopback = IPAddress.v4(0x7F00_0001)
    for address in [IPAddress.v4(0xE000_00FB), .anyV4, loopback] {
      var bench = try BrowserBench()
      bench.hear(Said(announcement: try Ann.announcement(), address: address).all)
      #expect(bench.reports.isEmpty)
    }
    var bench = try BrowserBench()
    let all = Said(announcement: try Ann.announcement(), address: loopback).all
    bench.hear(DNSMessage(answering: all), from: Endpoint(loopback, port: DNSArrival.port))
    #expect(bench.news == ["found"])
  }

  @Test(
    "Instances that claim a peer's identity do not take its place, and no crowd hides where it is")
  func claimants() throws {
    var bench = try settled()
    for ordinal in 2...40 {
      var claim = try Ann.announcement(info: ["room": "trap"], port: UInt16(ordinal))
      claim.ordinal = ordinal
      for address in 1...8 {
        bench.hear(Said(announcement: claim, address: .v4(0x0A00_6300 + UInt32(address))).all)
      }
    }
    guard case .updated(let peer)? = bench.reports.last?.report else {
      Issue.record("no candidates")
      return
    }
    #expect(peer.endpoints.first == Endpoint(Ann.address, port: 7_100))
    #expect(peer.endpoints.count == 16 && peer.info == ["room": "lobby"])
  }

  @Test(
    "Only an address that one host of the link can have is an endpoint",
    arguments: [
      .v4(0xFFFF_FFFF), .v4(0x0AFF_FFFF), .v4(0xC0A8_FFFF), .v4(0x0808_0808),
      .v6(0x2001_0DB8_0000_0000, 1, scope: 0), .v6(0xFF02 << 48, 1, scope: 0),
    ] as [IPAddress])
  func offLink(address: IPAddress) throws {
    var bench = try BrowserBench()
    let said = Said(announcement: try Ann.announcement(), address: address)
    bench.hear(said.all)
    #expect(bench.reports.isEmpty)
    bench.run(for: .seconds(10))
    #expect(!bench.times(of: said.host.name, .a).isEmpty)
    bench.hear([Said(announcement: try Ann.announcement()).host])
    #expect(bench.news == ["found"])
  }

  @Test("A peer at port 0 is nowhere, and its port is asked for")
  func portZero() throws {
    var bench = try BrowserBench()
    let said = Said(announcement: try Ann.announcement(port: 0))
    bench.hear(said.all)
    bench.run(for: .seconds(1))
    #expect(bench.reports.isEmpty && !bench.times(of: said.service.name, .srv).isEmpty)
    bench.hear(Said(announcement: try Ann.announcement()).all)
    #expect(bench.news == ["found"])
  }

  @Test("An address that a change of networks leaves behind is forgotten, the others stay")
  func networkLeft() throws {
    var bench = try BrowserBench()
    let there = IPAddress.v4(0xC0A8_0001)
    bench.hear(Said(announcement: try Ann.announcement(), address: there).all)
    let bob = Said(announcement: try Ann.announcement(id: Ann.peer(3)))
    bench.hear(bob.all)
    let ann = try #require(bench.reports.compactMap(\.report.peer).last { $0.id == Ann.id })
    bench.forget()
    let left = NetworkInterface(
      index: 1, name: "en0", addresses: [Ann.address],
      networks: [AddressRange(Ann.address, bits: 8)])
    bench.handle(.interfacesChanged([left]))
    #expect(bench.reports.map(\.report) == [.lost(ann)])
  }

  @Test("Two instances of one identity are one peer, and both are candidates")
  func twoInstances() throws {
    var second = try Ann.announcement(info: ["room": "trap"], port: 9_999)
    second.ordinal = 2
    var bench = try settled()
    bench.hear(Said(announcement: second, address: .v4(0x0A00_0063)).all)
    guard case .updated(let peer)? = bench.reports.last?.report else {
      Issue.record("no second candidate")
      return
    }
    #expect(bench.news == ["updated"])
    let others = Endpoint(.v4(0x0A00_0063), port: 9_999)
    #expect(peer.endpoints == [Endpoint(Ann.address, port: 7_100), others])
    #expect(peer.info == ["room": "lobby"])
    bench.hear(try said().all.map { $0.living(0) })
    bench.run(for: .seconds(2))
    #expect(!bench.news.contains("lost") && bench.news.last == "updated")
    bench.hear(Said(announcement: second).all.map { $0.living(0) })
    bench.run(for: .seconds(2))
    #expect(bench.news.last == "lost")
  }

  @Test("A browser that nobody answers sends seven packets in ten seconds at most")
  func chattiness() throws {
    var bench = try BrowserBench()
    bench.run(for: .seconds(10))
    #expect(bench.sent.count <= 7)
  }

  @Test(
    "One source fills its own share only, and nothing grows beyond its bounds",
    arguments: Seed.some(1))
  func flood(seed: Seed) throws {
    var random = seed.generator
    var bench = try BrowserBench(seed: seed.value)
    bench.hear(try said().all)
    for source in 0..<8 {
      for _ in 0..<3 {
        let records = (0..<300).map { _ in
          DNSRecord(
            Ann.domain, .pointer(DNSName("x\(random.next())", "_chat", "_tcp", "local")),
            lifetimeSeconds: 4_500)
        }
        bench.hear(
          DNSMessage(answering: records),
          from: Endpoint(.v4(0x0A00_0100 + UInt32(source)), port: DNSArrival.port))
      }
    }
    #expect(bench.machine.recordCount <= 16_384)
    var bob = Said(announcement: try Ann.announcement(id: Ann.peer(9)))
    bob.address = .v4(0x0A00_0077)
    bench.hear(DNSMessage(answering: bob.all), from: Endpoint(bob.address, port: DNSArrival.port))
    #expect(bench.news == ["found", "found"])
  }

  @Test(
    "Whatever is heard, every peer is found, then updated, then lost, in this order",
    arguments: Seed.some(20))
  func reportsMakeSense(seed: Seed) throws {
    var random = seed.generator
    var bench = try BrowserBench(interfaces: [1, 2], seed: seed.value)
    for _ in 0..<200 {
      var announcement = try Ann.announcement(
        info: ["k": "\(random.below(3))"], port: UInt16(1 + random.below(2)),
        id: Ann.peer(3 + random.below(3)))
      announcement.ordinal = Int(1 + random.below(2))
      let said = Said(
        announcement: announcement, address: .v4(0x0A00_0001 + UInt32(random.below(3))))
      let records = said.all.filter { _ in random.below(3) > 0 }
        .map { random.below(4) == 0 ? $0.living(UInt32(random.below(3))) : $0 }
      bench.hear(records, on: 1 + UInt32(random.below(2)))
      if random.below(20) == 0 { bench.handle(.reconfirmRequested(announcement.id)) }
      if random.below(30) == 0 {
        let interfaces: [UInt32] = random.below(2) == 0 ? [1] : [1, 2]
        bench.handle(.interfacesChanged(interfaces.map { Ann.interface($0) }))
      }
      bench.run(for: random.duration(below: .seconds(20)))
    }
    bench.run(for: .seconds(10_000))
    var present: [PeerID: DiscoveredPeer] = [:]
    for (_, report) in bench.reports {
      switch report {
      case .found(let service): #expect(present.updateValue(service, forKey: service.id) == nil)
      case .updated(let service):
        let before = present.updateValue(service, forKey: service.id)
        #expect(before != nil && before != service)
      case .lost(let peer): #expect(present.removeValue(forKey: peer.id) == peer)
      case .unavailable, .available: Issue.record("a machine knows nothing of ports")
      }
    }
    #expect(present.isEmpty && bench.machine.recordCount == 0)
  }
}
