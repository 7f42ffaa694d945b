import EarshotNetwork
import EarshotSimulator
import Testing

@Suite("BUGGIFY")
struct BuggifyTests {
  /// What becomes of ten visits to each of some points.
  private func visits(
    _ points: [String], seed: UInt64, _ buggify: Buggify
  ) -> (outcomes: [String: [UInt64?]], properties: [Property]) {
    var configuration = WorldConfiguration()
    configuration.buggify = buggify
    let world = World(seed: seed, configuration: configuration)
    let ann = world.makeHost("ann")
    var outcomes: [String: [UInt64?]] = [:]
    for _ in 0..<10 {
      for point in points {
        outcomes[point, default: []].append(
          ann.instrumentation?.buggify(point, below: 1_000_000))
      }
    }
    let properties = world.properties
    world.finish()
    return (outcomes, properties)
  }

  private let points = (0..<20).map { "point \($0)" }

  @Test("A world has no points unless it is told to", arguments: [Buggify.off, .only([])])
  func off(buggify: Buggify) {
    let (outcomes, properties) = visits(points, seed: 1, buggify)
    #expect(outcomes.values.allSatisfy { $0.allSatisfy { $0 == nil } } && properties.isEmpty)
  }

  @Test("Each seed draws which points there are, some four in ten of them, and how likely each is")
  func swarm() {
    var present = 0
    var sets: Set<[String]> = []
    for seed in UInt64(0)..<50 {
      let names = visits(points, seed: seed, .drawn).properties.map(\.name)
      present += names.count
      sets.insert(names)
    }
    // Of 50 x 20 points 400 are there on average; the least likely ones mostly stay away in ten visits.
    #expect((180...330).contains(present))
    #expect(sets.count > 45)
  }

  @Test("What a point does is its own: it is the same without the other points")
  func independent() {
    for seed in UInt64(0)..<20 {
      let (all, properties) = visits(points, seed: seed, .drawn)
      let seen = properties.map { String($0.name.dropFirst("buggify: ".count)) }
      let (some, _) = visits(points, seed: seed, .only(Array(seen.prefix(2))))
      for point in points {
        #expect(
          some[point]
            == (seen.prefix(2).contains(point) ? all[point] : [UInt64?](repeating: nil, count: 10)))
      }
    }
  }

  @Test("A point that takes effect is a property that was reached, as often as it did")
  func counted() {
    let (outcomes, properties) = visits(points, seed: 3, .drawn)
    #expect(!properties.isEmpty)
    for property in properties {
      let point = String(property.name.dropFirst("buggify: ".count))
      let count = outcomes[point]?.count { $0 != nil }
      #expect(property.kind == .reachable && property.reached == count && property.held == count)
    }
  }

  @Test("Numbers are within the bound, and seeds draw other ones")
  func numbers() {
    let drawn = (UInt64(0)..<30).map { visits(["point"], seed: $0, .only(["point"])).outcomes }
    let numbers = drawn.flatMap { $0["point"] ?? [] }.compactMap { $0 }
    #expect(numbers.count > 50 && numbers.allSatisfy { $0 < 1_000_000 })
    #expect(Set(numbers).count > 50)
  }

  @Test("When the world is taken down, no point takes effect")
  func closed() {
    var configuration = WorldConfiguration()
    configuration.buggify = .only(["point"])
    let world = World(seed: 1, configuration: configuration)
    let ann = world.makeHost("ann")
    world.finish()
    let outcomes = (0..<1_000).map { _ in ann.instrumentation?.buggify("point") }
    #expect(outcomes.allSatisfy { $0 == false })
  }
}
