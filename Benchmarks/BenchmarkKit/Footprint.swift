import Foundation

/// What a process holds now, as Linux says in `/proc`.
public struct Footprint {
  /// Open descriptors.
  public let descriptors: Int
  /// Resident memory in MiB.
  public let residentMiB: Double
  /// The CPU time of all its threads so far, in seconds, to a hundredth.
  public let processorSeconds: Double

  /// The footprint of a process.
  public init(of process: Int32) {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
    descriptors = names?.count ?? 0
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
    residentMiB = (kibibytes.flatMap { Double($0) } ?? 0) / 1_024
    // Behind the name, which may have spaces: the state is the third field, the times are the 14th and 15th.
    let times = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = times?.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
    let ticks = fields.count > 12 ? (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0) : 0
    processorSeconds = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The memory of a process in MiB that no other one shares.
  public static func privateMiB(of process: Int32) -> Double {
    let text = try? String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
    let kibibytes = (text ?? "").split(separator: "\n").compactMap { line -> Double? in
      guard line.hasPrefix("Private_Clean:") || line.hasPrefix("Private_Dirty:") else { return nil }
      return line.split(separator: " ").dropFirst().first.flatMap { Double($0) }
    }
    return kibibytes.reduce(0, +) / 1_024
  }
}
