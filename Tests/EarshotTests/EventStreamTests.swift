import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import TestKit
import Testing

@Suite("Event streams")
struct EventStreamTests {
  @Test("Every consumer sees every event from its beginning on, in order")
  func severalConsumers() async {
    let hub = EventHub<Int>(countMax: 100)
    hub.push(1)
    var first = EventStream(hub).makeAsyncIterator()
    var second = EventStream(hub).makeAsyncIterator()
    hub.push([2, 3])
    hub.finish()
    var seen: ([Int], [Int]) = ([], [])
    while let event = await first.next() { seen.0.append(event) }
    while let event = await second.next() { seen.1.append(event) }
    #expect(seen.0 == [1, 2, 3])
    #expect(seen.1 == [2, 3])
  }
}
