import Foundation

/// What this process has used so far.
public enum Resources {
  /// The CPU time of all its threads.
  public static var cpuTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// The most memory that was resident at once, in bytes.
  public static var peakMemoryBytes: Int {
    var usage = rusage()
    #if os(macOS)
      getrusage(RUSAGE_SELF, &usage)
      return Int(usage.ru_maxrss)
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return Int(usage.ru_maxrss) * 1_024
    #endif
  }
}
