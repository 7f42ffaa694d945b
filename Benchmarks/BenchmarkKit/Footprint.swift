import Foundation

/// What a process holds now, as Linux says in `/proc`.
public struct Footprint {
  /// Open descriptors.
  public let descriptors: Int
  /// Resident memory in MiB.
  public let residentMiB: Double

  /// The footprint of a process.
  public init(of process: Int32) {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
    descriptors = names?.count ?? 0
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
    residentMiB = (kibibytes.flatMap { Double($0) } ?? 0) / 1_024
  }
}
