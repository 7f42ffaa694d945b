import EarshotCore
import EarshotScenario
import TestKit

/// A scenario that a seed decides: who is there, what they do, what the network is like, and what befalls it.
///
/// First is drawn which features there are at all, then how they are used, so that each is missing in many. Streams
/// and files are drawn apart: what else a seed decides does not change with them.
struct RandomScenario {
  private var random: RandomStream
  private var streams: RandomStream?
  private var files: RandomStream?
  private let names: [String]
  private let features: Features
  let seed: Seed

  /// What a scenario may have.
  private struct Features {
    let capacity: Int?
    let sessions: [String]
    let isSecure, hasFaults, leaves, hasReaders, hasLateStarts, hasUnreliable, changes, isSlow: Bool
    let changesMind: Bool  // Calls are cancelled, invitations let go, farewells cut short.

    init(_ random: inout RandomStream) {
      func has(_ percent: Int) -> Bool { random.chance(.percent(percent)) }
      capacity = has(40) ? 2 + Int(random.below(7)) : nil
      (isSecure, hasFaults, leaves) = (has(5), has(85), has(60))
      (hasReaders, hasLateStarts, hasUnreliable) = (has(30), has(50), has(30))
      (changes, isSlow, changesMind) = (has(30), has(60), has(40))
      sessions = has(30) ? ["main", "side"] : ["main"]
    }
  }

  init(_ seed: Seed, withStreams: Bool = true, withFiles: Bool = true) {
    self.seed = seed
    random = seed.generator
    var streams = RandomStream(seed: seed.value, name: "streams")
    self.streams = withStreams && streams.chance(.percent(40)) ? streams : nil
    var files = RandomStream(seed: seed.value, name: "files")
    self.files = withFiles && files.chance(.percent(40)) ? files : nil
    let count = 2 + Int(random.below(6))
    names = Array(["ann", "bob", "cy", "dan", "eve", "fay", "gus"].prefix(count))
    features = Features(&random)
  }

  /// The scenario, as a file has it.
  var text: String {
    mutating get {
      var fields = [
        "name: '\(seed)'", "duration: '110s'", "seed: \(seed.value)",
        "expect: [{ event: 'anyone sees anyone found', atMost: 1000000 }]",
      ]
      let peers = names.map { peer($0) }
      fields.append("peers: [\n  \(peers.joined(separator: ",\n  "))\n]")
      if features.isSlow { fields.append("links: { \(links) }") }
      if features.isSecure { fields.append("secure: true") }
      if features.hasFaults {
        let longest = pick(["500ms", "4s", "15s"])
        fields.append(
          "randomFaults: { count: \(1 + random.below(12)), between: ['1s', '40s'], "
            + "lasting: ['1ms', '\(longest)']\(storage) }")
      }
      return "{\n\(fields.joined(separator: ",\n"))\n}"
    }
  }

  private var links: String {
    mutating get {
      if has(50) {
        let profiles = [
          "Ethernet", "home Wi-Fi", "peer-to-peer Wi-Fi", "conference Wi-Fi", "airport Wi-Fi",
          "edge of range", "elevator", "Bluetooth", "LTE", "3G", "EDGE", "satellite",
        ]
        return "profile: '\(pick(profiles))'"
      }
      var parts = ["latency: \(time(0, 200))"]
      if has(30) { parts.append("jitter: \(time(0, 100))") }
      if has(30) { parts.append("loss: '\(1 + random.below(10))%'") }
      if has(15) { parts.append("duplication: '\(1 + random.below(20))%'") }
      if has(15) { parts.append("reordering: '\(1 + random.below(20))%'") }
      if has(10) { parts.append("multicastLoss: '\(1 + random.below(60))%'") }
      return parts.joined(separator: ", ")
    }
  }

  // MARK: Peers

  private mutating func peer(_ name: String) -> String {
    let sessions = features.sessions.map { "{ \(session(named: $0)) }" }.joined(separator: ", ")
    var fields = ["name: '\(name)'", "session: [\(sessions)]"]
    if features.hasLateStarts, has(50) { fields.append("start: \(time(0, 8_000))") }
    if features.changesMind, has(20) { fields.append("accept: { \(changedMind) }") }
    if has(15) { fields.append("accept: { after: \(time(0, 4_000)) }") }
    if has(7) { fields.append("accept: { chance: 0.6 }") }
    if has(80) {
      fields.append(
        "invite: [\(features.sessions.map { _ in invitation(of: name) }.joined(separator: ", "))]")
    }
    if has(75) {
      fields.append("send: [\(features.sessions.map { _ in workload }.joined(separator: ", "))]")
    }
    if has(20) { fields.append("echo: true") }
    if has(20) { fields.append("suspension: 'unprepared'") }
    if features.hasReaders, has(40) { fields.append("read: { \(reading) }") }
    if features.leaves, has(40) { fields.append(contentsOf: leaving) }
    if features.leaves, has(15), let other = other(than: name) {
      fields.append("remove: { at: \(time(5_000, 30_000)), who: '\(other)' }")
    }
    if features.leaves, has(10) { fields.append("stop: \(time(10_000, 40_000))") }
    if features.changes { fields.append("rename: { at: \(time(1_000, 30_000)), to: 'N\(name)' }") }
    fields += streamFields + fileFields
    return "{ \(unique(fields).joined(separator: ", ")) }"
  }

  /// The fields without those whose key was drawn before.
  private func unique(_ fields: [String]) -> [String] {
    var keys: Set<Substring> = []
    return fields.filter { keys.insert($0.prefix { $0 != ":" }).inserted }
  }

  private mutating func session(named name: String) -> String {
    var parts = ["name: '\(name)'"]
    if has(60) { parts.append("patience: '\(pick(["0s", "500ms", "3s", "10s", "30s", "60s"]))'") }
    if let capacity = features.capacity { parts.append("capacity: \(capacity)") }
    if has(15) { parts.append("outboxBytesMax: \(pick([1_000, 5_000, 65_536]))") }
    if has(15) { parts.append("windowBytes: \(pick([1_000, 20_000, 131_072]))") }
    return parts.joined(separator: ", ")
  }

  /// In which session something is done.
  private var place: String { mutating get { "session: '\(pick(features.sessions))'" } }

  /// How an answer is given that is taken back, or let go.
  private var changedMind: String {
    mutating get {
      let after = "after: \(time(0, 3_000))"
      return has(50)
        ? "\(after), answer: '\(pick(["release", "both"]))'" : "\(after), cancel: \(time(0, 1_000))"
    }
  }

  private mutating func invitation(of name: String) -> String {
    let who = has(60) ? pick(["found", "foundSmaller"]) : other(than: name) ?? "found"
    var parts = ["who: '\(who)'", "timeout: '\(pick(["500ms", "2s", "5s", "30s"]))'", place]
    if has(40) { parts.append("at: \(time(0, 20_000))") }
    if has(60) { parts.append("again: '\(pick(["200ms", "1s", "3s"]))'") }
    if features.changesMind, has(20) { parts.append("cancel: \(time(0, 3_000))") }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  private var workload: String {
    mutating get {
      var parts = [
        "count: \(1 + random.below(60))", "every: \(time(1, 700))", "start: \(time(0, 30_000))",
        place,
      ]
      if features.hasUnreliable, has(50) {
        parts.append("reliable: false, size: \(pick([16, 64, 256, 1_400, 5_000, 20_000]))")
      } else {
        parts.append("size: \(pick([16, 64, 256, 1_400, 5_000, 20_000]))")
        if features.changesMind, has(20) { parts.append("cancel: \(time(0, 2_000))") }
      }
      return "{ \(parts.joined(separator: ", ")) }"
    }
  }

  // MARK: Streams

  private var streamFields: [String] {
    mutating get {
      guard let streams else { return [] }
      // For these, what is drawn comes from the streams' own numbers.
      let others = random
      random = streams
      defer { (self.streams, random) = (random, others) }
      var fields: [String] = []
      if has(70) {
        let count = 1 + Int(random.below(3))
        fields.append("stream: [\((0..<count).map { _ in stream }.joined(separator: ", "))]")
      }
      if has(50) { fields.append("readStreams: { \(streamReading) }") }
      return fields
    }
  }

  private var stream: String {
    mutating get {
      let sizes = [0, 1, 1_000, 20_000, 100_000, 400_000]
      var parts = [
        "bytes: \(pick(sizes))", "piece: \(pick([1_000, 16_384, 100_000, 500_000]))",
        "start: \(time(0, 30_000))", "priority: '\(pick(["urgent", "high", "normal", "low"]))'",
        place,
      ]
      if has(30) { parts.append("every: \(time(0, 300))") }
      if has(25) { parts.append("count: \(2 + random.below(6))") }
      if has(40) { parts.append("answer: \(pick(sizes))") }
      if has(15) { parts.append("finish: false") }
      if has(20) { parts.append("reset: \(time(0, 10_000))") }
      if has(20) {
        parts.append("wait: false")
      } else if has(30) {
        parts.append("cancel: \(time(1, 500))")
      }
      return "{ \(parts.joined(separator: ", ")) }"
    }
  }

  private var streamReading: String {
    mutating get {
      var parts = ["piece: \(pick([1_000, 10_000, 100_000]))"]
      if has(40) { parts.append("exact: true") }
      if has(30) { parts.append("every: \(time(1, 200))") }
      if has(20) { parts.append("pause: ['5s', \(time(6_000, 30_000))]") }
      if has(30) { parts.append("cancel: \(time(1, 500))") }
      if has(15) { parts.append("stop: \(pick([0, 5_000, 200_000]))") }
      return parts.joined(separator: ", ")
    }
  }

  // MARK: Files

  /// Whether disks fail, too.
  private var storage: String {
    mutating get { (files?.chance(.percent(60)) ?? false) ? ", storage: true" : "" }
  }

  private var fileFields: [String] {
    mutating get {
      guard let files else { return [] }
      // As of streams.
      let others = random
      random = files
      defer { (self.files, random) = (random, others) }
      var fields: [String] = []
      if has(70) {
        let count = 1 + Int(random.below(3))
        fields.append("file: [\((0..<count).map { file($0) }.joined(separator: ", "))]")
      }
      if has(60) { fields.append("receiveFiles: { \(fileReceiving) }") }
      return fields
    }
  }

  private mutating func file(_ number: Int) -> String {
    var parts = [
      "name: 'file \(number)'", "bytes: \(pick([0, 1, 5_000, 300_000, 1_500_000]))",
      "start: \(time(0, 30_000))", place,
    ]
    if has(20) { parts.append("pause: ['5s', \(time(6_000, 40_000))]") }
    if has(20) { parts.append("cancel: \(time(0, 10_000))") }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  private var fileReceiving: String {
    mutating get {
      let answer = pick(["accept", "accept", "policy", "policy", "decline", "release", "never"])
      var parts = ["answer: '\(answer)'"]
      if has(40) { parts.append("after: \(time(0, 8_000))") }
      guard ["accept", "policy"].contains(answer) else { return parts.joined(separator: ", ") }
      if has(20) { parts.append("pause: ['5s', \(time(6_000, 40_000))]") }
      if has(20) { parts.append("cancel: \(time(0, 10_000))") }
      return parts.joined(separator: ", ")
    }
  }

  private var reading: String {
    mutating get {
      has(60)
        ? "every: \(time(10, 500)), batch: \(1 + random.below(20)), until: \(time(20_000, 40_000))"
        : "pause: ['5s', \(time(6_000, 30_000))]"
    }
  }

  private var leaving: [String] {
    mutating get {
      let (start, place) = (5_000 + Int(random.below(30_000)), place)
      let limit = pick(features.changesMind ? ["100ms", "2s", "5s"] : ["2s", "5s", "60s"])
      var fields = ["disconnect: { at: '\(start)ms', within: '\(limit)', \(place) }"]
      if has(70) {
        fields.append("rejoin: { at: '\(start + 1 + Int(random.below(8_000)))ms', \(place) }")
      }
      return fields
    }
  }

  // MARK: Drawing

  private mutating func has(_ percent: Int) -> Bool { random.chance(.percent(percent)) }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int(random.below(UInt64(values.count)))]
  }

  private mutating func time(_ least: Int, _ most: Int) -> String {
    "'\(least + Int(random.below(UInt64(most - least))))ms'"
  }

  private mutating func other(than name: String) -> String? {
    pick(names.filter { $0 != name })
  }
}
