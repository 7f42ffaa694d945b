import EarshotCore
import TestKit
import Testing

@Suite("The schedule of a question, and what is spent on packets")
struct QueryScheduleTests {
  @Test(
    "Each wait is at least twice the last, from a second to an hour (M06)",
    arguments: Seed.some(50))
  func intervals(seed: Seed) {
    var random = seed.generator
    var schedule = QuerySchedule(at: .zero, random: &random)
    var waits: [Duration] = []
    for _ in 0..<20 {
      let now = schedule.due
      schedule.noteAsked(at: now, random: &random)
      waits.append(schedule.due - now)
    }
    #expect(waits[0] >= .seconds(1) && waits[0] <= .ms(1_250))
    for (wait, last) in zip(waits.dropFirst(), waits) {
      #expect(wait >= min(last * 2, .seconds(3_240)) && wait <= .seconds(3_600))
    }
    #expect(waits[5] <= .seconds(125), "a browser that is alone still asks within two minutes")
  }

  @Test(
    "Of many that ask the same, few would ask within the same tenth of a wait",
    arguments: Seed.some(5))
  func jitter(seed: Seed) {
    var random = seed.generator
    let dues = (0..<1_000).map { _ in
      var schedule = QuerySchedule(at: .zero, random: &random)
      for _ in 0..<3 { schedule.noteAsked(at: .zero, random: &random) }
      return schedule.due
    }
    let (first, last) = (dues.min() ?? .zero, dues.max() ?? .zero)
    let soon = first + (last - first) / 10
    #expect(dues.count { $0 <= soon } < 150)
  }

  @Test("A question that is put off waits as long as it must, and up to half as long again")
  func putOff() {
    var random = Seed(1).generator
    var schedule = QuerySchedule(at: .zero, random: &random)
    let now = schedule.due
    #expect(!schedule.putsOff(until: .zero, at: now, random: &random) && !schedule.isPutOff)
    #expect(schedule.putsOff(until: .seconds(4), at: now, random: &random) && schedule.isPutOff)
    #expect(schedule.due >= .zero + .seconds(4) && schedule.due <= .zero + .seconds(6))
    let due = schedule.due
    #expect(!schedule.putsOff(until: .seconds(4), at: due, random: &random))
    schedule.noteAsked(at: due, random: &random)
    #expect(!schedule.isPutOff)
    #expect(schedule.putsOff(until: .seconds(86_400), at: due, random: &random))
    #expect(schedule.due - due <= .seconds(3_600))
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
    schedule.noteAsked(at: .zero, random: &random)
    let half = (schedule.due - .zero) / 2
    #expect(!schedule.isDueSoon(at: .zero + half - .ms(1)))
    #expect(schedule.isDueSoon(at: .zero + half + .ms(1)))
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
    var budget = SourceBudget(packetsPerSecond: 100, sharedPerSecond: 1_000)
    let admitted = (0..<10_000).count { budget.admits(.v4($0), at: .zero) }
    #expect(admitted == 256 + 1_000)
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
    let (bytes, others): ([UInt8], [UInt8]) = ([1, 2], [1, 3])
    let packet = PacketMemory.hash(of: bytes.span)
    let other = PacketMemory.hash(of: others.span)
    memory.note(packet, path: 1, at: .zero)
    let paths: [(UInt64, UInt64)] = [(packet, 2), (other, 1), (packet, 1), (packet, 1)]
    let taken = paths.map { memory.take($0.0, path: $0.1, at: .zero) }
    #expect(taken == [false, false, true, false])
    memory.note(packet, path: 1, at: .zero)
    let isTakenLate = memory.take(packet, path: 1, at: .zero + .seconds(2))
    #expect(!isTakenLate)
  }
}
