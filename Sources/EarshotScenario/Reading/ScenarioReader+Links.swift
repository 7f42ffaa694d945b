import EarshotCore
import EarshotSimulator

extension ScenarioReader {
  mutating func readLinks(_ file: ObjectReader) {
    guard let object = file.object("links") else { return }
    var plan = LinkPlan(defaults: linkChange(object))
    plan.exceptions = object.list("exceptions") { node, path in
      let exception = ObjectReader(node, path: path, mistakes: mistakes)
      defer { exception.finish() }
      let (ends, change) = (linkEnds(exception), linkChange(exception))
      return ends.map { LinkException(ends: $0, change: change) }
    }
    object.finish()
    set(links: plan)
  }

  /// What an object says about links: a profile, and what differs from it.
  func linkChange(_ object: ObjectReader) -> LinkChange {
    var change = LinkChange()
    change.latency = object.value("latency", .duration(.zero ... .seconds(60)))
    change.jitter = object.value("jitter", .duration(.zero ... .seconds(60)))
    change.loss = object.value("loss", .ratio)
    change.burst = object.object("burst").flatMap { burst($0) }
    change.multicastLoss = object.value("multicastLoss", .ratio)
    change.datagramLoss = object.value("datagramLoss", .ratio)
    change.duplication = object.value("duplication", .ratio)
    change.reordering = object.value("reordering", .ratio)
    change.corruption = object.value("corruption", .ratio)
    change.truncation = object.value("truncation", .ratio)
    change.bandwidth = object.value("bandwidth", Self.bandwidth)
    change.rates = object.value("rates", Self.rates)
    change.queue = object.value("queue", Self.queue)
    change.mtu = object.value("mtu", .size(576...65_535))
    if change.bandwidth != nil, change.rates != nil {
      object.note("either \"bandwidth\" or \"rates\", not both", at: "rates")
    }
    let names = LinkProfile.allCases.map(\.rawValue)
    let profile = object.value("profile", .word(names, named: "a profile"))
      .flatMap { LinkProfile(rawValue: $0) }
    return profile.map { $0.change.overlaid(with: change) } ?? change
  }

  static var bandwidth: ValueRule<Int> { .rate(1_000...1_000_000_000_000) }

  static var queue: ValueRule<Int> { .size(1_500...1 << 30) }

  /// The keys that say what a link is like.
  static var linkKeys: [String] {
    [
      "latency", "jitter", "loss", "burst", "multicastLoss", "datagramLoss", "duplication",
      "reordering", "corruption", "truncation", "bandwidth", "rates", "queue", "mtu", "profile",
    ]
  }

  /// Either the share that is lost and the length of a burst, or the chances themselves.
  private func burst(_ object: ObjectReader) -> BurstLoss? {
    defer { object.finish() }
    guard object.has("enter") || object.has("leave") else {
      let share = object.required("share", Self.burstShare)
      let length = object.value("length", .integer(1...1_000_000), default: 8)
      return share.map { BurstLoss(share: $0, length: length) }
    }
    guard let enter = object.required("enter", .ratio), let leave = object.required("leave", .ratio)
    else { return nil }
    return BurstLoss(
      enter: enter, leave: leave, loss: object.value("loss", .ratio, default: .one))
  }

  private static var burstShare: ValueRule<Ratio> {
    ValueRule("a share below one half: 0 to 0.49, or \"0%\" to \"49%\"") { node in
      guard let share = ValueRule<Ratio>.ratio.silent(node), share <= .percent(49) else {
        return nil
      }
      return share
    }
  }

  private static var rates: ValueRule<RateTrace> {
    ValueRule(
      "the times in whole milliseconds at which 1,500 bytes may leave, ascending, the last above 0"
    ) { node in
      switch node.value {
      case .string(let text): return RateTrace(text)
      case .array(let elements):
        let times = elements.compactMap { element -> UInt32? in
          if case .number(let text) = element.value { UInt32(text) } else { nil }
        }
        return times.count == elements.count ? RateTrace(milliseconds: times) : nil
      case .null, .bool, .number, .object: return nil
      }
    }
  }
}
