import EarshotCore
import EarshotSimulator
import Foundation
import Testing

@Suite("Plans as Swift")
struct PastedPlanTests {
  private static var change: LinkChange {
    var change = LinkChange()
    (change.latency, change.jitter) = (.milliseconds(250), .microseconds(1_500))
    (change.loss, change.burst) = (
      .percent(30), BurstLoss(enter: .percent(1), leave: Ratio(billionths: 123_456_789))
    )
    (change.multicastLoss, change.datagramLoss) = (.zero, .one)
    (change.duplication, change.reordering) = (.percent(2), .percent(3))
    (change.corruption, change.truncation) = (Ratio(billionths: 1), Ratio(billionths: 999_999_999))
    (change.bandwidth, change.queue, change.mtu) = (1_000_000, 65_536, 576)
    return change
  }

  private static var hostFaults: [HostFault] {
    [
      .crash, .restart(), .restart(erased: true), .suspend(grace: .milliseconds(5)), .freeze,
      .resume, .slow(every: .milliseconds(20)), .leave(), .hide, .isolate(.inbound),
      .isolate(.outbound), .isolate(.both), .clog, .readdress, .unplug, .exhaustPorts,
      .clock(ClockChange(jump: .seconds(3), drift: -40)), .stale(after: .seconds(9)), .reflect(),
      .fullDisk, .slowDisk(factor: 7), .failingDisk,
    ]
  }

  private static var linkFaults: [LinkFault] {
    var rates = LinkChange()
    rates.rates = RateTrace(milliseconds: [0, 3, 3, 10])
    return [
      .cut, .clog, .flap(every: .seconds(2), down: .milliseconds(300)), .change(change),
      .change(LinkChange()), .change(rates, over: .seconds(5)), .reset(),
      .reset(every: .seconds(1)),
    ]
  }

  private static var kinds: [Fault.Kind] {
    let ends = [
      LinkEnds.from("ann", to: "bob"), .between("ann", and: "\"bob\"\n\\(cy)"),
      LinkEnds(sources: ["ann", "bob"], destinations: ["cy"], isMutual: true),
    ]
    return ends.flatMap { ends in linkFaults.map { .links(ends, $0) } }
      + hostFaults.map { .hosts(["ann"], $0) }
      + [
        .hosts([], .crash), .hosts(["ann", "bob"], .suspend(grace: .zero)), .crash("ann", "bob"),
        .partition([["ann"], ["bob", "cy"]]), .partition([]), .heal,
        .medium(["ann", "bob"], Medium(bandwidth: 54_000_000)), .medium([], Medium(bandwidth: 1)),
      ]
  }

  static var plans: [FaultPlan] {
    let all = FaultPlan(kinds.map { Fault(at: .seconds(1), $0) })
    let times: [Duration] = [
      .zero, .nanoseconds(1), .microseconds(1), .milliseconds(1), .seconds(90),
      Duration(secondsComponent: 3, attosecondsComponent: 7), .seconds(86_400 * 365),
    ]
    let lasting = FaultPlan(times.map { Fault(at: $0, .heal, lasting: $0) })
    let left = FaultPlan([
      Fault(at: .seconds(1), .crash("ann"), id: 7), Fault(at: .seconds(2), .heal, id: 3),
    ])
    return [FaultPlan(), all, lasting, left]
  }

  static var policies: [SchedulePolicy] {
    let choices = [(0, 1), (4_711, 63)].map { ScheduleRecord.Choice(decision: $0, index: $1) }
    return [
      .fifo, .random, .pct(depth: 3), .uniformRandomWalk,
      .seeded(.max, .seeded(3, .pct(depth: 1, steps: 9))), .replay(ScheduleRecord()),
      .replay(ScheduleRecord(choices)),
    ]
  }

  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "PastedPlans.swift")

  private static var source: String {
    func list(_ name: String, _ type: String, _ elements: [String]) -> String {
      let lines = elements.map { "    \($0.replacing("\n", with: "\n    ")),\n" }.joined()
      return "  static let \(name): [\(type)] = [\n\(lines)  ]\n"
    }
    return """
      // swift-format-ignore-file
      // Written by PastedPlanTests with EARSHOT_RECORD_PASTED=1; compiled, and compared with the originals.
      import EarshotSimulator

      enum PastedPlans {
      \(list("plans", "FaultPlan", plans.map(\.swiftText)))
      \(list("policies", "SchedulePolicy", policies.map(\.swiftText)))}

      """
  }

  @Test("The Swift of plans with every kind of fault compiles to the same plans")
  func compiled() {
    #expect(PastedPlans.plans == Self.plans)
    #expect(PastedPlans.policies == Self.policies)
  }

  @Test("What is compiled is what is written today")
  func written() throws {
    if ProcessInfo.processInfo.environment["EARSHOT_RECORD_PASTED"] == "1" {
      try Self.source.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let compiled = try String(contentsOf: Self.file, encoding: .utf8)
    #expect(compiled == Self.source, "record it anew with EARSHOT_RECORD_PASTED=1, and build")
  }

  @Test("No kind of fault that seeds draw is missing from these")
  func complete() {
    let words = Set(Self.plans.flatMap(\.faults).map(\.kind.word))
    var wish = RandomFaults(count: 40, between: .zero ... .seconds(60))
    wish.includesStorage = true
    var drawn: Set<String> = []
    for seed in 0..<300 as Range<UInt64> {
      var random = RandomStream(seed: seed, name: "faults")
      let plan = FaultPlan(
        drawing: wish, for: ["ann", "bob", "cy"], guidedBy: [], using: &random)
      drawn.formUnion(plan.faults.map(\.kind.word))
    }
    #expect(drawn.count > 20 && drawn.isSubset(of: words), "\(drawn.subtracting(words))")
  }
}
