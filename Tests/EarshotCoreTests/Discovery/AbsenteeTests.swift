import EarshotCore
import TestKit
import Testing

@Suite("Whoever vanished without a word")
struct AbsenteeTests {
  private func said(_ number: UInt64 = 1) throws -> Said {
    Said(
      announcement: try Ann.announcement(id: Ann.peer(number)),
      address: .v4(0x0A00_0000 + UInt32(number)))
  }

  /// A browser that has just lost Ann without a goodbye.
  private func bereft(seed: UInt64 = 1) throws -> BrowserBench {
    var bench = try BrowserBench(seed: seed)
    bench.hear(try said().all)
    bench.run(for: .seconds(120))
    #expect(bench.news == ["found", "lost"])
    bench.forget()
    return bench
  }

  private let home = Endpoint(Ann.address, port: DNSArrival.port)

  @Test(
    "is asked after where it was, every four seconds for an hour, and nobody else is",
    arguments: Seed.some(5))
  func asked(seed: Seed) throws {
    var bench = try bereft(seed: seed.value)
    let start = bench.now
    bench.run(for: .seconds(10_000))
    let times = bench.askedDirectly.map(\.at)
    #expect(bench.askedDirectly.allSatisfy { $0.host == home })
    #expect(times[0] - start <= .seconds(4))
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == .seconds(4) })
    let last = try #require(times.last)
    #expect(last - start > .seconds(3_710) && last - start <= .seconds(3_724))
    let questions = bench.sent.filter { $0.destination != .multicast }.map(\.message.questions)
    #expect(questions.allSatisfy { $0 == [DNSQuestion(Ann.domain, .ptr)] })
  }

  @Test("is not asked after when it said goodbye, or is there again")
  func notAsked() throws {
    var polite = try BrowserBench()
    polite.hear(try said().all)
    polite.hear(try said().all.map { $0.living(0) })
    polite.run(for: .seconds(500))
    #expect(polite.news == ["found", "lost"] && polite.askedDirectly.isEmpty)
    var back = try bereft()
    back.hear(try said().all)
    back.run(for: .seconds(90))
    #expect(back.news == ["found"] && back.askedDirectly.isEmpty)
  }

  @Test("is asked after at its other address in turn, when it had two")
  func secondAddress() throws {
    var bench = try BrowserBench()
    let second = Said(announcement: try Ann.announcement(), address: .v4(0x0A00_0009))
    bench.hear(try said().all + [second.host])
    bench.run(for: .seconds(132))
    let hosts = bench.askedDirectly.map(\.host.address)
    #expect(hosts.count >= 3)
    #expect(hosts.prefix(3) == [Ann.address, second.address, Ann.address])
  }

  @Test("is believed when it answers such a question to us alone")
  func answer() throws {
    var bench = try bereft()
    bench.run(for: .seconds(1_000))
    let count = bench.askedDirectly.count
    while bench.askedDirectly.count == count { bench.run(for: .ms(100)) }
    bench.forget()
    bench.hear(DNSMessage(answering: try said().all), from: home, wasMulticast: false)
    #expect(bench.news == ["found"])
  }

  @Test("is asked at once when something comes from where it was, and the browser looks again")
  func sign() throws {
    var bench = try bereft()
    bench.run(for: .seconds(1_000))
    bench.forget()
    let start = bench.now
    let foreign = DNSMessage(asking: [DNSQuestion(DNSName("_x", "_tcp", "local"), .ptr)])
    bench.hear(foreign, from: home)
    bench.run(for: .ms(120))
    #expect(bench.askedDirectly.contains { $0.at - start >= .ms(20) })
    #expect(bench.times(of: Ann.domain, .ptr).count == 1)
    // It is heard of again and again, but not found: it was not a return.
    bench.run(for: .seconds(40))
    bench.forget()
    for _ in 0..<100 {
      bench.hear(foreign, from: home)
      bench.run(for: .seconds(4))
    }
    #expect(bench.times(of: Ann.domain, .ptr).count <= 9)
    #expect(bench.askedDirectly.count <= 101)
  }

  @Test("makes the browser look again when it is back, once for all who come back together")
  func lookingAgain() throws {
    var bench = try BrowserBench()
    for number in 3..<13 { bench.hear(try said(UInt64(number)).all) }
    bench.run(for: .seconds(1_000))
    #expect(bench.news.suffix(10) == Array(repeating: "lost", count: 10)[...])
    bench.forget()
    for number in 3..<13 {
      bench.hear(try said(UInt64(number)).all)
      bench.run(for: .ms(200))
    }
    bench.run(for: .seconds(2))
    #expect(bench.news.count == 10)
    #expect((1...3).contains(bench.times(of: Ann.domain, .ptr).count))
  }

  @Test("is remembered among 64 at most, and what that costs is bounded")
  func bounds() throws {
    var bench = try BrowserBench()
    for number in 3..<203 { bench.hear(try said(UInt64(number)).all) }
    bench.run(for: .seconds(121))
    bench.forget()
    bench.run(for: .seconds(40))
    #expect(bench.askedDirectly.count <= 64 * 11)
    #expect(Set(bench.askedDirectly.map(\.host)).count == 64)
  }

  @Test("is asked after less often where many others are present to ask")
  func crowd() throws {
    var bench = try bereft()
    for number in 3..<23 { bench.hear(try said(UInt64(number)).all) }
    bench.run(for: .seconds(4))
    bench.forget()
    bench.run(for: .seconds(80))
    #expect((3...5).contains(bench.askedDirectly.count))
  }
}

@Suite("A browser in a crowd")
struct CrowdedBrowserTests {
  private func crowd(_ count: Int, seed: Seed = Seed(1)) throws -> BrowserBench {
    var bench = try BrowserBench(seed: seed.value)
    for number in 0..<count {
      let said = Said(
        announcement: try Ann.announcement(id: Ann.peer(UInt64(10 + number))),
        address: .v4(0x0A00_0100 + UInt32(number)))
      bench.hear(
        DNSMessage(answering: said.all), from: Endpoint(said.address, port: DNSArrival.port))
    }
    #expect(bench.news.count == count)
    return bench
  }

  @Test("puts its first question off, and then wants the answers for all", arguments: Seed.some(10))
  func first(seed: Seed) throws {
    var bench = try crowd(100, seed: seed)
    let start = bench.now
    bench.run(for: .seconds(6))
    let asked = bench.asked.filter { $0.question.name == Ann.domain }
    #expect(asked.count == 1 && !asked[0].question.wantsUnicast)
    #expect(asked[0].at - start >= .seconds(4))
    #expect(bench.sent.count == 3)
    #expect(bench.sent.reduce(0) { $0 + $1.message.answers.count } == 100)
    bench.forget()
    bench.run(for: .seconds(54))
    #expect(
      bench.times(of: Ann.domain, .ptr).isEmpty, "the list is long, and the others know it too")
  }

  @Test("asks nothing for minutes when a thousand are there")
  func thousand() throws {
    var bench = try crowd(1_000)
    bench.run(for: .seconds(90))
    #expect(bench.asked.isEmpty)
  }

  @Test("still asks at once after a sleep, when it cannot know who is there")
  func sleep() throws {
    var bench = try crowd(100)
    bench.run(for: .seconds(20))
    bench.forget()
    bench.handle(.restartRequested)
    bench.run(for: .ms(120))
    #expect(bench.asked.map(\.question) == [DNSQuestion(Ann.domain, .ptr, wantsUnicast: true)])
  }

  @Test("does not take an overheard list that goes on for a sign that the unlisted are gone (M45)")
  func longListIsNoDoubt() throws {
    var bench = try crowd(3)
    bench.run(for: .seconds(30))
    bench.forget()
    var query = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)])
    query.isTruncated = true
    for _ in 0..<5 {
      bench.hear(query)
      bench.run(for: .seconds(3))
    }
    #expect(bench.news.isEmpty)
  }
}
