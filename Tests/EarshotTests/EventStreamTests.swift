import Earshot
import EarshotCore
import Synchronization
import TestKit
import Testing

@Suite("Event streams", .timeLimit(.minutes(30)))
struct EventStreamTests {
  /// A stream of numbers, and the ones that every consumer has got.
  private struct Numbers {
    let hub: EventHub<Int>
    let released: Released
    var stream: EventStream<Int> { EventStream(hub) }

    init() {
      let released = Released()
      self.released = released
      hub = EventHub(
        countMax: 100_000, released: { events in released.numbers.withLock { $0 += events } },
        restate: { present, number in present = [number] })
    }
  }
  private final class Released: Sendable {
    let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
  }

  @Test(
    "What cannot be summed up all comes, in order, however much of it waits", arguments: [1, 700])
  func howeverMany(batch: Int) async {
    let hub = EventHub<Int>(countMax: 1_000)
    for start in stride(from: 0, to: 7_000, by: batch) {
      hub.push(Array(start..<start + batch))
    }
    hub.finish()
    var seen: [Int] = []
    for await event in EventStream(hub) { seen.append(event) }
    #expect(seen == Array(0..<7_000))
  }

  @Test("Every consumer gets every event from the first that none had got, in order")
  func severalConsumers() async {
    let hub = EventHub<Int>(countMax: 100)
    hub.push([1, 2])
    var first = EventStream(hub).makeAsyncIterator()
    #expect(await first.next() == 1)
    var second = EventStream(hub).makeAsyncIterator()
    hub.push([3, 4])
    hub.finish()
    var seen: ([Int], [Int]) = ([], [])
    while let event = await first.next() { seen.0.append(event) }
    while let event = await second.next() { seen.1.append(event) }
    #expect(seen.0 == [2, 3, 4])
    #expect(seen.1 == [2, 3, 4])
    #expect(await second.next() == nil)
  }

  @Test("Only what a loop's body got is consumed, whenever the loop is left", arguments: 0...20)
  func leaving(count: Int) async {
    let numbers = Numbers()
    numbers.hub.push(Array(0..<20))
    numbers.hub.finish()
    var left = count
    if left > 0 {
      for await _ in numbers.stream {
        left -= 1
        if left == 0 { break }
      }
    }
    #expect(numbers.released.all == Array(0..<count))
    var rest: [Int] = []
    for await number in numbers.stream { rest.append(number) }
    #expect(rest == Array(count..<20))
    #expect(numbers.released.all == Array(0..<20))
  }

  @Test("Cancelling a loop's task consumes nothing", arguments: 0...20)
  func cancelling(count: Int) async {
    let numbers = Numbers()
    numbers.hub.push(Array(0..<20))
    let stream = numbers.stream
    let got = await Task {
      var got: [Int] = []
      if count == 0 { withUnsafeCurrentTask { $0?.cancel() } }
      for await number in stream {
        got.append(number)
        if got.count == count { withUnsafeCurrentTask { $0?.cancel() } }
        if got.count == 20 { break }
      }
      return got
    }.value
    #expect(got == Array(0..<count))
    numbers.hub.finish()
    var rest: [Int] = []
    for await number in numbers.stream { rest.append(number) }
    #expect(rest == Array(count..<20))
  }

  @Test("Cancelling a task that waits for an event ends its loop, and no other one")
  func cancellingWaiter() async {
    let numbers = Numbers()
    let stream = numbers.stream
    let tasks = (0..<3).map { _ in
      let iterator = Mutex(stream.makeAsyncIterator())
      return Task {
        var own = iterator.withLock { $0 }
        var got: [Int] = []
        while let number = await own.next() { got.append(number) }
        return got
      }
    }
    tasks[1].cancel()
    #expect(await tasks[1].value == [])
    numbers.hub.push([1, 2, 3])
    numbers.hub.finish()
    #expect(await tasks[0].value == [1, 2, 3])
    #expect(await tasks[2].value == [1, 2, 3])
  }

  @Test("What was got is given back at the latest with the next quarter of what waited")
  func givingBack() async {
    let numbers = Numbers()
    numbers.hub.push(Array(0..<400))
    var iterator = numbers.stream.makeAsyncIterator()
    for count in 1...400 {
      #expect(await iterator.next() == count - 1)
      #expect(numbers.released.all.count < count)
      #expect(numbers.released.all.count >= count - 102)
    }
    numbers.hub.finish()
    #expect(await iterator.next() == nil)
    #expect(numbers.released.all == Array(0..<400))
  }

  @Test("What one consumer has not got is not given back, until it leaves")
  func slowConsumer() async {
    let numbers = Numbers()
    var slow: EventStream<Int>.Iterator? = numbers.stream.makeAsyncIterator()
    var fast = numbers.stream.makeAsyncIterator()
    for number in 0..<1_000 {
      numbers.hub.push(number)
      #expect(await fast.next() == number)
    }
    #expect(await slow?.next() == 0)
    #expect(numbers.released.all == [])
    slow = nil
    #expect(numbers.released.all == Array(0..<1_000))
  }

  @Test("Copies of an iterator are one consumer", arguments: Seed.some(20))
  func copies(seed: Seed) async {
    var random = seed.generator
    let numbers = Numbers()
    var copies = [numbers.stream.makeAsyncIterator()]
    var (pushed, got) = (0, 0)
    for _ in 0..<200 {
      if Bool.random(using: &random) {
        let count = Int.random(in: 1...7, using: &random)
        numbers.hub.push(Array(pushed..<pushed + count))
        pushed += count
      }
      let index = Int.random(in: 0..<copies.count, using: &random)
      if Bool.random(using: &random), copies.count < 5 { copies.append(copies[index]) }
      if got < pushed {
        #expect(await copies[index].next() == got)
        got += 1
      }
    }
  }

  @Test("Two copies may wait at once: each event goes to one of them")
  func waitingCopies() async {
    let numbers = Numbers()
    let iterator = Mutex(numbers.stream.makeAsyncIterator())
    let tasks = (0..<2).map { _ in
      let own = iterator.withLock { $0 }
      let copy = Mutex(own)
      return Task {
        var own = copy.withLock { $0 }
        return await own.next()
      }
    }
    numbers.hub.push([1])
    numbers.hub.push([2])
    numbers.hub.finish()
    let got = [await tasks[0].value, await tasks[1].value]
    #expect(got.compactMap(\.self).sorted() == [1, 2])
  }

  @Test("Nothing comes after the end")
  func afterTheEnd() async {
    let numbers = Numbers()
    numbers.hub.push(1)
    numbers.hub.finish()
    numbers.hub.push(2)
    var got: [Int] = []
    for await number in numbers.stream { got.append(number) }
    #expect(got == [1])
  }
}
