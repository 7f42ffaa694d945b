import EarshotCore
public import Foundation

/// The rule by which a session accepts offered resources without asking its program.
///
/// Rules are asked in their order, and the first one that fits accepts. An offer that no rule fits
/// is left to the program, which gets every offer from ``Session/resources``. So is one that a rule
/// accepts but whose folder cannot be written to, or has too little room.
public struct ResourcePolicy: Hashable, Sendable {
  private struct Rule: Hashable, Sendable {
    let folder: URL
    let byteCountMax: Int64
    let senders: Set<PeerID>?
  }
  private var rules: [Rule] = []

  private init() {}

  /// The program is asked about every offer.
  public static let ask = ResourcePolicy()

  /// Offers are accepted.
  ///
  /// - Parameters:
  ///   - folder: The folder for the files, which must exist.
  ///   - byteCountMax: The most bytes of a resource; of one whose size is unknown, its limit
  ///     counts.
  ///   - senders: The members whose offers are accepted; all by default.
  /// - Returns: The policy.
  public static func accept(
    into folder: URL, upTo byteCountMax: Int64 = .max, from senders: Set<PeerID>? = nil
  ) -> ResourcePolicy {
    ResourcePolicy.ask.or(into: folder, upTo: byteCountMax, from: senders)
  }

  /// The policy with one more rule, after those that it has.
  ///
  /// - Parameters:
  ///   - folder: The folder for the files, which must exist.
  ///   - byteCountMax: The most bytes of a resource; of one whose size is unknown, its limit
  ///     counts.
  ///   - senders: The members whose offers are accepted; all by default.
  /// - Returns: The policy.
  public func or(
    into folder: URL, upTo byteCountMax: Int64 = .max, from senders: Set<PeerID>? = nil
  ) -> ResourcePolicy {
    var policy = self
    policy.rules.append(Rule(folder: folder, byteCountMax: byteCountMax, senders: senders))
    return policy
  }

  /// The folder for a resource; `nil` if the program is to be asked.
  func folder(for description: ResourceDescription, from sender: PeerID) -> URL? {
    rules.first { rule in
      description.byteCount <= rule.byteCountMax && rule.senders?.contains(sender) != false
    }?.folder
  }
}
