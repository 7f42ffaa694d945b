import Earshot
import EarshotSimulator
import TestKit
import Testing

/// Extreme numbers in the calls for resources.
@Suite("Numbers of resources")
struct ResourceNumberTests {
  @Test(
    "Any limit of bytes is an offer, and what exceeds it an error",
    arguments: Extremes.integers(of: Int64.self))
  func limit(of limit: Int64) throws {
    try Delivery.play { delivery in
      let parts = AsyncStream<[UInt8]> { input in
        input.yield([1, 2, 3])
        input.finish()
      }
      let bobs = try delivery.pair.guest.sendResource(
        reading: parts, upTo: limit, named: "a", to: delivery.pair.ann.id)
      let offer = try await delivery.offer()
      #expect(offer.byteCountLimit == limit.clamped(to: 0...(1 << 62 - 1)))
      try await offer.accept(into: Delivery.inbox)
      let error = await failure { try await bobs.completed() }
      #expect(error?.code == (limit < 3 ? .resourceTooLarge : nil))
    }
  }

  @Test("Any number is the most bytes of a rule", arguments: Extremes.integers(of: Int64.self))
  func rule(upTo limit: Int64) throws {
    let policies = [
      ResourcePolicy.accept(into: Delivery.inbox, upTo: limit),
      ResourcePolicy.ask.or(into: Delivery.inbox, upTo: limit),
    ]
    for policy in policies {
      try Delivery.play(configuration: Session.Configuration(resourcePolicy: policy)) { delivery in
        delivery.write(100)
        _ = try await delivery.send()
        #expect((try await delivery.offer().transfer != nil) == (limit >= 100))
      }
    }
  }
}
