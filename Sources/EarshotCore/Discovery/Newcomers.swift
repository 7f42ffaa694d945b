/// Instances that a crowded cache heard of: one is let in when its source says it again, a moment later.
///
/// A host that forges peers by the thousand has a new name for each and says it once; a peer announces itself again after
/// a second. What is remembered of a newcomer until then is one number (after TinyLFU's doorkeeper).
struct Newcomers: Hashable, Sendable {
  private static let apart = Duration.milliseconds(250)
  private static let kept = Duration.seconds(3)
  private static let countMax = 16_384

  private var current: [Int: Instant] = [:]
  private var previous: [Int: Instant] = [:]
  private var begin = Instant.zero

  /// Whether an instance was heard of before, between a quarter of a second and some seconds ago.
  mutating func admits(_ instance: DNSName, from source: IPAddress, at now: Instant) -> Bool {
    if now - begin >= Self.kept || current.count >= Self.countMax {
      (previous, current) = (now - begin >= Self.kept * 2 ? [:] : current, [:])
      begin = now
    }
    var hasher = Hasher()
    hasher.combine(instance)
    hasher.combine(source)
    let key = hasher.finalize()
    if let first = current[key] ?? previous[key] { return now - first >= Self.apart }
    current[key] = now
    return false
  }
}
