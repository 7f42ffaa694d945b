import Earshot
import EarshotCore
import TestKit
import Testing

/// What consumers are told of a session when they take its events too late to be told everything.
@Suite("Merging events", .timeLimit(.minutes(30)))
struct EventMergingTests {
  /// Members that send numbers, and whose links break and come back.
  private struct Members {
    let hub = EventHub<SessionActivity>(countMax: 16, merge: SessionActivity.summary)
    let ids: [PeerID]
    var interrupted: Set<PeerID> = []
    var messages = 0

    init(using random: inout RandomStream) {
      ids = (0..<3).map { _ in PeerID(random: &random) }
    }

    mutating func act(using random: inout RandomStream) {
      let id = ids[Int.random(in: 0..<ids.count, using: &random)]
      if Int.random(in: 0..<5, using: &random) == 0 {
        hub.push(.message(Message(sender: id, bytes: Array("\(messages)".utf8))))
        messages += 1
      } else if interrupted.remove(id) != nil {
        hub.push(.event(.resumed(Member(id: id, name: "Ann"))))
      } else {
        interrupted.insert(id)
        hub.push(.event(.interrupted(Member(id: id, name: "Ann"), .silence)))
      }
    }
  }

  /// What an application makes of the events that it got.
  private struct Listener {
    var interrupted: Set<PeerID> = []
    var messages: [Int] = []
    var contradictions: [String] = []

    mutating func hear(_ event: SessionActivity) {
      switch event {
      case .message(let message):
        messages.append(Int(String(decoding: message.bytes, as: UTF8.self)) ?? -1)
      case .event(.interrupted(let member, _)):
        if !interrupted.insert(member.id).inserted { contradictions.append("interrupted twice") }
      case .event(.resumed(let member)):
        if interrupted.remove(member.id) == nil { contradictions.append("resumed out of nothing") }
      case .event(.joining), .event(.joined), .event(.left): contradictions.append("\(event)")
      }
    }
  }

  @Test("Every consumer is told every message once and how it ended", arguments: Seed.some(100))
  func severalConsumers(seed: Seed) async {
    var random = seed.generator
    var members = Members(using: &random)
    var consumers = (0..<3).map { _ in
      (iterator: EventStream(members.hub).makeAsyncIterator(), listener: Listener())
    }
    let paces = [0, Int.random(in: 1...2, using: &random), Int.random(in: 1...12, using: &random)]
    for step in 0..<500 {
      members.act(using: &random)
      for index in consumers.indices where paces[index] > 0 && step % paces[index] == 0 {
        await Self.hear(&consumers[index], members)
      }
    }
    members.hub.finish()
    for var consumer in consumers {
      while let event = await consumer.iterator.next() { consumer.listener.hear(event) }
      #expect(consumer.listener.contradictions == [])
      #expect(consumer.listener.messages == Array(0..<members.messages))
      #expect(consumer.listener.interrupted == members.interrupted)
    }
  }

  /// Takes one event, unless there may be none.
  private static func hear(
    _ consumer: inout (iterator: EventStream<SessionActivity>.Iterator, listener: Listener),
    _ members: Members
  ) async {
    let (heard, told) = (consumer.listener, members)
    guard heard.messages.count < told.messages || heard.interrupted != told.interrupted,
      let event = await consumer.iterator.next()
    else { return }
    consumer.listener.hear(event)
  }

  @Test("Consumers that follow each other are told as one would be", arguments: Seed.some(100))
  func successors(seed: Seed) async {
    var random = seed.generator
    var members = Members(using: &random)
    var listener = Listener()
    for _ in 0..<100 {
      for _ in 0..<Int.random(in: 1...60, using: &random) { members.act(using: &random) }
      var left = Int.random(in: 1...9, using: &random)
      var iterator = EventStream(members.hub).makeAsyncIterator()
      while left > 0,
        listener.messages.count < members.messages || listener.interrupted != members.interrupted,
        let event = await iterator.next()
      {
        listener.hear(event)
        left -= 1
      }
    }
    members.hub.finish()
    for await event in EventStream(members.hub) { listener.hear(event) }
    #expect(listener.contradictions == [])
    #expect(listener.messages == Array(0..<members.messages))
    #expect(listener.interrupted == members.interrupted)
  }

  @Test("Interruptions that were overcome take no room, however slow a consumer is")
  func bounded() async {
    var random = Seed(1).generator
    let member = Member(id: PeerID(random: &random), name: "Bob")
    let hub = EventHub<SessionActivity>(countMax: 16, merge: SessionActivity.summary)
    var slow = EventStream(hub).makeAsyncIterator()
    var fast = EventStream(hub).makeAsyncIterator()
    hub.push(.event(.joined(member)))
    #expect(await fast.next() != nil)
    for _ in 0..<10_000 {
      hub.push(.event(.interrupted(member, .silence)))
      #expect(await fast.next() == .event(.interrupted(member, .silence)))
      hub.push(.event(.resumed(member)))
      #expect(await fast.next() == .event(.resumed(member)))
    }
    hub.finish()
    var count = 0
    while await slow.next() != nil { count += 1 }
    #expect(count < 64)
    #expect(await fast.next() == nil)
  }
}
