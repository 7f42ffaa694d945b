import Earshot
import EarshotCore
import Synchronization
import TestKit
import Testing

/// Loops that begin with the present state.
@Suite("Streams from the present state", .timeLimit(.minutes(30)))
struct PresentStateTests {
  @Test("A loop from the present state gets that and then what follows; other loops lose nothing")
  func unreadStays() async {
    let hub = EventHub<Int>(countMax: 100, restate: { $0 = [-1, $1] })
    hub.push([1, 2, 3])
    var observer = EventStream(hub, from: .present).makeAsyncIterator()
    #expect(await observer.next() == -1)
    hub.push([4])
    #expect(await observer.next() == 3)
    #expect(await observer.next() == 4)
    var reader = EventStream(hub).makeAsyncIterator()
    for number in 1...4 { #expect(await reader.next() == number) }
    var second = EventStream(hub, from: .present).makeAsyncIterator()
    hub.push([5])
    hub.finish()
    #expect(await [second.next(), second.next(), second.next()] == [-1, 4, 5])
    #expect(await second.next() == nil)
    #expect(await [reader.next(), observer.next()] == [5, 5])
    #expect(await reader.next() == nil)
    #expect(await observer.next() == nil)
    var late = EventStream(hub, from: .present).makeAsyncIterator()
    #expect(await [late.next(), late.next(), late.next()] == [-1, 5, nil])
  }

  @Test("Copies of a loop share its present state: nothing comes twice, and nothing is missed")
  func copies() async {
    let hub = EventHub<Int>(countMax: 100, restate: { $0 = [-2, -1, $1] })
    hub.push(1)
    var first = EventStream(hub, from: .present).makeAsyncIterator()
    var second = first
    hub.push(2)
    var seen: [Int?] = []
    for _ in 0..<2 { seen += await [first.next(), second.next()] }
    #expect(seen == [-2, -1, 1, 2])
  }

  @Test("An observer that is slow, or gone, holds nothing from others", arguments: Seed.some(50))
  func mixture(seed: Seed) async {
    var random = seed.generator
    let released = Mutex(0)
    let hub = EventHub<Int>(
      countMax: 10, released: { events in released.withLock { $0 += events.count } },
      restate: { $0 = [$1] })
    var readers = [EventStream(hub).makeAsyncIterator()]
    var observers: [(iterator: EventStream<Int>.Iterator, from: Int, seen: [Int])] = []
    var (pushed, read) = (0, [Int]())
    for _ in 0..<300 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let count = Int.random(in: 1...5, using: &random)
        hub.push(Array(pushed + 1...pushed + count))
        pushed += count
      case 2 where observers.count < 4:
        let iterator = EventStream(hub, from: .present).makeAsyncIterator()
        observers.append((iterator, pushed, []))
      case 3 where !observers.isEmpty:
        let index = Int.random(in: 0..<observers.count, using: &random)
        while max(observers[index].from, 1) + observers[index].seen.count <= pushed,
          let number = await observers[index].iterator.next()
        {
          observers[index].seen.append(number)
          if Bool.random(using: &random) { break }
        }
      case 4 where !observers.isEmpty:
        observers.remove(at: Int.random(in: 0..<observers.count, using: &random))
      default:
        if Int.random(in: 0..<10, using: &random) == 0 {
          readers = [EventStream(hub).makeAsyncIterator()]
        }
        if read.count < pushed, let number = await readers[0].next() { read.append(number) }
      }
      for observer in observers where !observer.seen.isEmpty {
        let first = max(observer.from, 1)
        #expect(observer.seen == Array(first..<first + observer.seen.count))
      }
    }
    #expect(read == Array(1..<1 + read.count))
    observers = []
    hub.finish()
    while let number = await readers[0].next() { read.append(number) }
    #expect(read == Array(1..<1 + pushed))
    readers = []
    #expect(released.withLock { $0 } == pushed)
  }

  @Test(
    "A second loop over a session's events begins with who is there", arguments: Ground.allCases)
  func session(ground: Ground) async throws {
    try await ground.meet(["Ann", "Bob", "Cy"]) { peers in
      let meeting = try await Meeting(of: peers[0])
      let bobs = try await meeting.join(peers[1])
      var first = meeting.session.events.makeAsyncIterator()
      #expect(await first.next() == .joined(Member(id: peers[1].id, name: "Bob")))
      await peers[1].suspend()
      #expect(await first.next()?.told == .interrupted(peers[1].id, .suspending))
      var second = meeting.session.events.makeAsyncIterator()
      #expect(await second.next() == .joined(Member(id: peers[1].id, name: "Bob")))
      #expect(await second.next()?.told == .interrupted(peers[1].id, .suspending))
      try await peers[1].resume()
      #expect(await second.next()?.told == .resumed(peers[1].id))
      var third = meeting.session.events.makeAsyncIterator()
      #expect(await third.next() == .joined(Member(id: peers[1].id, name: "Bob")))
      await bobs.stop()
      for event in [Told.resumed(peers[1].id), .left(peers[1].id, .left, undelivered: 0)] {
        #expect(await first.next()?.told == event)
      }
      #expect(await second.next()?.told == .left(peers[1].id, .left, undelivered: 0))
      #expect(await third.next()?.told == .left(peers[1].id, .left, undelivered: 0))
      await meeting.session.stop()
      #expect(await meeting.session.events.first { _ in true } == nil)
    }
  }

  @Test("Events of a session are summed up to what they come to")
  func summary() {
    let (ann, bob) = (Member(id: peer(1), name: "Ann"), Member(id: peer(2), name: "Bob"))
    let never = SessionEvent.left(bob, .unreachable, undelivered: 0)
    let events: [SessionEvent] = [
      .joining(ann), .joining(bob), .joined(ann), never, .interrupted(ann, .silence),
      .resumed(ann), .joining(bob), .interrupted(ann, .linkBroken),
    ]
    #expect(
      SessionEvent.summary(of: events)
        == [.joined(ann), .joining(bob), .interrupted(ann, .linkBroken)])
    #expect(SessionEvent.summary(of: [never, .resumed(ann)]) == [never, .resumed(ann)])
  }

  private func peer(_ number: UInt64) -> PeerID {
    var random = RandomStream(seed: number)
    return PeerID(random: &random)
  }
}
