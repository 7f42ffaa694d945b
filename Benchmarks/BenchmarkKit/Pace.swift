import Dispatch
import Foundation
import Synchronization

/// How steadily the machine computes.
///
/// A virtual machine may run at a tenth of its speed for tens of milliseconds, all cores at once,
/// and show no trace of it in `/proc/stat`. High percentiles of times measure that then.
enum Pace {
  private static let slotNanoseconds: Int64 = 2_000_000

  /// The share of time in which a core did less than half of what it usually does, in per cent.
  ///
  /// Keeps all cores busy meanwhile.
  static func slowPercent(over seconds: Int = 2) -> Int {
    let slotCount = seconds * 1_000_000_000 / Int(slotNanoseconds)
    let slow = Mutex([Bool](repeating: false, count: slotCount))
    let start = Machine.nanoseconds
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
      let done = work(since: start, slotCount)
      let usual = done.sorted()[slotCount / 2]
      slow.withLock { for slot in 0..<slotCount where done[slot] < usual / 2 { $0[slot] = true } }
    }
    return slow.withLock { $0.count { $0 } } * 100 / slotCount
  }

  /// How much one core does in each slot.
  private static func work(since start: Int64, _ slotCount: Int) -> [Int] {
    var done = [Int](repeating: 0, count: slotCount)
    var value = UInt64(bitPattern: start)
    while case let slot = Int((Machine.nanoseconds - start) / slotNanoseconds), slot < slotCount {
      for _ in 0..<1_000 { value = value &* 6_364_136_223_846_793_005 &+ 1 }
      done[slot] += value == 0 ? 0 : 1  // The value has to be computed.
    }
    return done
  }
}
