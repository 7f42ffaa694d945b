import EarshotSimulator

/// What was to happen with some seed of a test and did not happen with any.
struct UnseenProperty: Error, CustomStringConvertible {
  private let property: Property
  private let seeds: Int

  init(_ property: Property, seeds: Int) { (self.property, self.seeds) = (property, seeds) }

  var description: String {
    let place =
      property.reached == 0 ? "its place was never reached" : "reached \(property.reached) times"
    return
      "\(property.kind) \"\(property.name)\" was not seen with any of \(seeds) seeds (\(place))"
  }
}
