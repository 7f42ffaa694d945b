import EarshotSimulator

extension PlantedBug {
  /// All of them.
  public static let all: [PlantedBug] =
    counters + registers + lists + locks + elections + files + others

  private static let network: [RandomFaults.Kind] = [
    .partition, .cut, .link, .burst, .isolate, .clog, .swizzle, .flap, .freeze, .slow,
  ]
  private static let power: [RandomFaults.Kind] = [.crash, .partition, .cut, .link, .clog, .freeze]
  private static let clocks: [RandomFaults.Kind] = [
    .clock, .partition, .cut, .link, .clog, .freeze,
  ]

  private static let counters = [
    PlantedBug(.noDeduplication, Counter.self, network, oracle: Counter.oracle),
    PlantedBug(.deduplicationForgotten, Counter.self, power, oracle: Counter.oracle),
    PlantedBug(.acknowledgedBeforeStored, Counter.self, power, oracle: Counter.oracle),
  ]
  private static let registers = [
    PlantedBug(.wallClock, Register.self, clocks, oracle: Register.oracle),
    PlantedBug(.noTieBreak, Register.self, network, oracle: Register.oracle),
  ]
  private static let lists = [
    PlantedBug(.tombstonesForgotten, List.self, power, oracle: List.oracle),
    PlantedBug(.sentOnce, List.self, network, oracle: List.oracle),
    PlantedBug(.longerListWins, List.self, network, oracle: List.completeness),
  ]
  private static let locks = [
    PlantedBug(.noFencing, Lock.self, network, for: .seconds(40), oracle: Lock.oracle),
    PlantedBug(.noExpiry, Lock.self, power, for: .seconds(40), oracle: Lock.oracle),
    PlantedBug(.tokenForgotten, Lock.self, power, for: .seconds(40), oracle: Lock.oracle),
  ]
  private static let elections = [
    PlantedBug(.smallQuorum, Election.self, network, oracle: Election.oracle),
    PlantedBug(.voteForgotten, Election.self, [.crash, .cut, .clog], oracle: Election.oracle),
    PlantedBug(
      .staleVotes, Election.self, [.clog, .cut, .link, .partition], oracle: Election.oracle),
  ]
  private static let files = [
    PlantedBug(.shortSequenceNumbers, FileTransfer.self, network, oracle: FileTransfer.oracle),
    PlantedBug(.acknowledgesBeyondGap, FileTransfer.self, network, oracle: FileTransfer.oracle),
    PlantedBug(.resendsPastBase, FileTransfer.self, network, oracle: FileTransfer.oracle),
  ]
  private static let others = [
    PlantedBug(.batchReused, Tickets.self, power, oracle: Tickets.oracle),
    PlantedBug(.leakOnCancel, Permits.self, network, oracle: Permits.oracle),
    PlantedBug(.refundOnTimeout, Bank.self, network, oracle: Bank.oracle),
    PlantedBug(.noCausalOrder, Chat.self, network, oracle: Chat.oracle),
    PlantedBug(.lateMessageDropped, Chat.self, network, oracle: Chat.oracle),
    PlantedBug(.staleReply, Cache.self, network, oracle: Cache.oracle),
    PlantedBug(.trimmedLog, Updates.self, network, oracle: Updates.oracle),
    PlantedBug(.bothAccept, Pairing.self, network, oracle: Pairing.oracle),
    PlantedBug(.decisionNotLogged, Commit.self, power, oracle: Commit.oracle),
    PlantedBug(
      .restartIgnored, Heartbeats.self, power, for: .seconds(16), oracle: Heartbeats.oracle),
    PlantedBug(.starvedWatchdog, .pct(depth: 3)) { Watchdog.play(in: $0, $1, $2) },
  ]
}
