import EarshotCore
import TestKit
import Testing

@Suite("Discovery among vandals")
struct DiscoveryFuzzTests {
  @Test(
    "Whatever arrives, the machines live, send little and keep little", arguments: Seed.some(4))
  func vandals(seed: Seed) throws {
    var random = seed.generator
    let asker = Endpoint(.v4(0x0A00_0064), port: DNSArrival.port)
    let said = Said(announcement: try Ann.announcement())
    let samples =
      [said.all, Said(announcement: try Ann.announcement(id: Ann.peer(5))).all]
      .flatMap { DNSMessage(answering: $0).packets() }
      + DNSMessage(
        asking: [DNSQuestion(Ann.domain, .ptr), DNSQuestion(said.service.name, .any)],
        claiming: [said.service]
      ).packets()
    var advertiser = AdvertiserBench(try Ann.announcement(), seed: seed.value)
    var browser = try BrowserBench(seed: seed.value)
    for _ in 0..<2_000 {
      var packet = samples[Int(random.below(UInt64(samples.count)))]
      for _ in 0..<1 + random.below(3) {
        packet[Int(random.below(UInt64(packet.count)))] = random.bytes(1)[0]
      }
      let wait = random.duration(below: .ms(20))
      advertiser.run(for: wait)
      browser.run(for: wait)
      guard let message = try? DNSMessage(decoding: packet) else { continue }
      advertiser.hear(message)
      // Whoever answers does not ask: that would say nothing about its answers.
      browser.hear(message, from: message.isResponse ? BrowserBench.other : asker)
    }
    #expect(browser.machine.recordCount <= 512)
    // Twenty seconds: each set once a second, each name defended four times a second.
    #expect(advertiser.sent.count < 20 * 16)
    browser.forget()
    browser.run(for: .seconds(10_000))
    #expect(browser.machine.recordCount == 0)
    #expect(browser.asked.count < 2_000)
    #expect(browser.askedDirectly.count < 64 * 1_000)
  }
}
