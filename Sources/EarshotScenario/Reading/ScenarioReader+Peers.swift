import Earshot
import EarshotCore
import EarshotSimulator

extension ScenarioReader {
  /// Any time within a day.
  static var time: ValueRule<Duration> { .duration(.zero ... .seconds(86_400)) }
  /// Any time that is not nothing.
  static var span: ValueRule<Duration> { .duration(.nanoseconds(1) ... .seconds(86_400)) }

  /// What a peer does, without its name.
  func peerPlan(_ object: ObjectReader) -> PeerPlan {
    var plan = PeerPlan(name: "")
    plan.start = object.value("start", Self.time, default: .zero)
    plan.acceptance = object.has("accept") ? acceptance(object) : .always
    plan.sessions = sessions(object)
    plan.invitations = object.list("invite") { invitation($0, path: $1, of: plan) }
    plan.discovery = discovery(object, browsesByDefault: !plan.invitations.isEmpty)
    if !plan.discovery.browses && !plan.invitations.isEmpty {
      object.note("a peer that invites has to browse", at: "browse")
    }
    plan.workloads = object.list("send") {
      workload(ObjectReader($0, path: $1, mistakes: mistakes), of: plan)
    }
    plan.streams = object.list("stream") {
      stream(ObjectReader($0, path: $1, mistakes: mistakes), of: plan)
    }
    plan.streamReading = streamReading(object)
    plan.files = files(object, of: plan)
    plan.fileReceiving = fileReceiving(object)
    plan.reading = reading(object)
    plan.echoes = object.value("echo", .flag, default: false)
    let manners = ["prepared", "unprepared"]
    plan.preparesForSuspension =
      object.value("suspension", .word(manners, named: "a manner")) != "unprepared"
    plan.steps = steps(object, of: plan)
    return plan
  }

  private func invitation(
    _ node: JSON5Node, path: String, of peer: PeerPlan
  ) -> InvitationPlan? {
    let first = peer.sessions[0].name
    if case .string = node.value {
      return guest.read(node, path: path, mistakes: mistakes).map {
        InvitationPlan(guest: $0, session: first)
      }
    }
    let object = ObjectReader(node, path: path, mistakes: mistakes)
    defer { object.finish() }
    let guest = object.required("who", guest)
    var plan = InvitationPlan(guest: guest ?? .found)
    plan.at = object.value("at", Self.time, default: .zero)
    plan.timeout = object.value(
      "timeout", .duration(.milliseconds(1) ... .seconds(3_600)), default: .seconds(30))
    plan.context = object.value(
      "context", .text(bytes: 0...InvitationContext.textBytesMax), default: "")
    plan.again = object.value("again", .duration(.milliseconds(10) ... .seconds(86_400)))
    plan.session = object.value("session", session(of: peer), default: first)
    plan.cancel = object.value("cancel", Self.time)
    return guest == nil ? nil : plan
  }

  private var guest: ValueRule<InvitationPlan.Guest> {
    let known = scenario.peers.map(\.name)
    var rule = ValueRule<InvitationPlan.Guest>("the name of a peer, \"found\" or \"foundSmaller\"")
    {
      node in
      switch node.value {
      case .string("found"): .found
      case .string("foundSmaller"): .foundSmaller
      case .string(let text) where known.contains(text): .peer(text)
      case .null, .bool, .number, .string, .array, .object: nil
      }
    }
    (rule.words, rule.namesPeers) = (known + ["found", "foundSmaller"], true)
    return rule
  }

  private func workload(_ object: ObjectReader, of peer: PeerPlan) -> Workload {
    defer { object.finish() }
    var plan = Workload()
    plan.session = object.value("session", session(of: peer), default: peer.sessions[0].name)
    plan.receivers = receivers(object)
    plan.count = object.value("count", .integer(1...1_000_000), default: 1)
    plan.isReliable = object.value("reliable", .flag, default: true)
    plan.size = object.value("size", .size(16...Self.messageBytesMax), default: 64)
    if !plan.isReliable, plan.size > Session.maximumUnreliableMessageBytes {
      let limit = Quantity.size(Session.maximumUnreliableMessageBytes)
      object.note("what is sent unreliably has at most \(limit)", at: "size")
    }
    let limit =
      peer.session(plan.session)?.messageBytesMax ?? Session.Configuration().maximumMessageBytes
    if plan.size > limit {
      object.note(
        "the session takes messages of at most \(Quantity.size(limit)); its \"messageBytesMax\" says so",
        at: "size")
    }
    plan.every = object.value("every", Self.time, default: .milliseconds(100))
    plan.start = object.value("start", Self.time, default: .zero)
    plan.cancel = object.value("cancel", Self.time)
    if plan.cancel != nil, !plan.isReliable {
      object.note("what is sent unreliably waits for nothing", at: "cancel")
    }
    return plan
  }

  /// The peers to which something goes; empty for all.
  func receivers(_ object: ObjectReader) -> [String] {
    let receivers = object.value("to", peers, default: [])
    return receivers.count == scenario.peers.count ? [] : receivers
  }
}
