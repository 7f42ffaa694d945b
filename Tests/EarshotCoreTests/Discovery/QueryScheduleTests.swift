import EarshotCore
import TestKit
import Testing

@Suite("The schedule of a question, and what is spent on packets")
struct QueryScheduleTests {
  @Test("The wait doubles from a second to an hour (M06)")
  func intervals() {
    let waits = (1...15).map { QuerySchedule.interval(after: $0) }
    #expect(waits.prefix(12) == (0..<12).map { .seconds(1 << $0) }[...])
    #expect(waits.suffix(3).allSatisfy { $0 == .seconds(3_600) })
    #expect(QuerySchedule.interval(after: 0) == .seconds(1))
    #expect(QuerySchedule.interval(after: .max) == .seconds(3_600))
  }

  @Test("The first question comes after 20 to 120 ms (M05)", arguments: Seed.some(50))
  func first(seed: Seed) {
    var random = seed.generator
    let schedule = QuerySchedule(at: .zero, random: &random)
    #expect(schedule.due >= .zero + .ms(20) && schedule.due <= .zero + .ms(120))
    #expect(schedule.isDueSoon(at: .zero))
  }

  @Test("Half of the wait must be over before another's question counts (M29)")
  func dueSoon() {
    var random = Seed(1).generator
    var schedule = QuerySchedule(at: .zero, random: &random)
    schedule.noteAsked(at: .zero)
    schedule.noteAsked(at: .zero)  // The next one after two seconds.
    #expect(!schedule.isDueSoon(at: .zero + .seconds(1)))
    #expect(schedule.isDueSoon(at: .zero + .ms(1_001)))
  }

  @Test("A source has its packets a second, whatever the others do")
  func sourceBudget() {
    var budget = SourceBudget(packetsPerSecond: 100)
    let (loud, quiet) = (IPAddress.v4(1), IPAddress.v4(2))
    let admitted = (0..<1_000).count { _ in budget.admits(loud, at: .zero) }
    let later = [budget.admits(quiet, at: .zero), budget.admits(loud, at: .zero + .seconds(1))]
    #expect(admitted == 100 && later == [true, true])
  }

  @Test("Many sources at once share what is left")
  func crowdedBudget() {
    var budget = SourceBudget(packetsPerSecond: 100)
    let admitted = (0..<10_000).count { budget.admits(.v4($0), at: .zero) }
    #expect(admitted == 256 + 99)
  }

  @Test("Fifty packets go at once, and twenty a second for ever")
  func sendBudget() {
    var budget = SendBudget()
    let burst = (0..<1_000).count { _ in budget.admits(at: .zero) }
    #expect(burst == 50)
    let sent = (0..<10_000).count { budget.admits(at: .zero + .ms($0)) }
    #expect((190...201).contains(sent))
  }

  @Test("A packet of ours is recognised once when it comes back")
  func packetMemory() {
    var memory = PacketMemory()
    memory.note([1, 2], way: 1, at: .zero)
    let ways: [([UInt8], UInt64)] = [([1, 2], 2), ([1, 3], 1), ([1, 2], 1), ([1, 2], 1)]
    let taken = ways.map { memory.take($0.0, way: $0.1, at: .zero) }
    #expect(taken == [false, false, true, false])
    memory.note([1, 2], way: 1, at: .zero)
    let isTakenLate = memory.take([1, 2], way: 1, at: .zero + .seconds(2))
    #expect(!isTakenLate)
  }
}
