/// How a world puts in order what could happen next at one instant.
///
/// At an instant several things may be ready at once: tasks and actors of all hosts that can go on, calls of the
/// network, packets that arrive and timers that come due. A policy other than ``fifo`` chooses among the 64 oldest of
/// them, from the stream of random numbers named `schedule`, so that another policy moves no other draw. Kept in order
/// are the calls of one host's network, the packets of one link, and the timers of one host; what ``World/at(_:_:)``
/// plans happens after everything of its instant that was planned before it. Time passes only when nothing is ready.
///
/// What has been passed over 1,000 times in a row runs next under every policy, so that code that waits by
/// yielding ends. ``World/scheduleRecord`` is what the policy has chosen, and ``replay(_:)`` repeats it.
public enum SchedulePolicy: Hashable, Sendable, Codable {
  /// Everything in the order in which it became ready.
  case fifo
  /// Each choice is uniform.
  case random
  /// Probabilistic concurrency testing: what has the highest priority, which is drawn at random for each
  /// task, and for the calls, packets and timers of each host.
  ///
  /// At `depth` - 1 decisions, drawn from the first `steps`, the priority of what would run falls below all others'. A
  /// bug that `depth` orderings cause among n tasks is found by one seed in n · steps^(depth - 1) at worst.
  ///
  /// The depth is from 1 to 1,024, and the steps from 1 to 10⁹; other values count as the nearest
  /// of these.
  ///
  /// - SeeAlso: Burckhardt, Kothari, Musuvathi, Nagarakatte: "A randomized scheduler with probabilistic guarantees of
  ///   finding bugs" (ASPLOS 2010).
  case pct(depth: Int, steps: Int = 1_000)
  /// A walk that is close to uniform over the interleavings: each task, and the calls, packets and timers of each host,
  /// weighs 1 more than the number of times it was chosen before.
  ///
  /// The walk of the paper weighs by the steps that are left, which a run beforehand has counted. Here the steps that
  /// were made stand in for them: of two tasks each share of the steps is as likely as any other.
  ///
  /// - SeeAlso: Zhao, Wolff, Mathur, Roychoudhury: "Selectively uniform concurrency testing" (ASPLOS 2025).
  case uniformRandomWalk
  /// As another policy, which draws from a seed of its own instead of the world's: another schedule of the same run.
  indirect case seeded(UInt64, SchedulePolicy)
  /// The choices of a record, and between them the order in which things became ready.
  case replay(ScheduleRecord)
}
