/// What a network for tests takes in of the code that runs on it; real networks have none.
///
/// Sendable because a network hands it out on the one thread that drives its hosts, and nowhere else.
public final class Instrumentation: @unchecked Sendable {
  /// The properties that were declared or reached, in the order in which that happened first.
  package private(set) var properties: [Property] = []
  /// What did not hold, the first thing first; no more than ``violationsMax``.
  // Asked after every event of a world: without the dynamic checks of exclusivity, since no access calls out.
  @exclusivity(unchecked) package private(set) var violations: [PropertyViolation] = []
  /// Whether what is stated counts: not while a world is taken down.
  @exclusivity(unchecked) package var isOpen = true
  /// The points of BUGGIFY; `nil` for a run without.
  package var buggifyDraws: BuggifyDraws?
  private var places: [Property.Key: Int] = [:]
  /// The queues that are watched, in the order in which the first of each name was.
  @exclusivity(unchecked) package private(set) var queues: [BoundedQueue] = []

  private let moment: () -> (host: String?, time: Instant)
  private let record: (_ hash: UInt64, _ make: () -> LogRecord) -> Void

  /// What takes in nothing yet.
  ///
  /// - Parameters:
  ///   - moment: Whose code runs, and when it is in the time of the world.
  ///   - record: Takes a record of a log into the trace.
  package init(
    _ moment: @escaping () -> (host: String?, time: Instant),
    record: @escaping (_ hash: UInt64, _ make: () -> LogRecord) -> Void
  ) {
    (self.moment, self.record) = (moment, record)
  }

  /// Takes a record of the log of a peer into the trace.
  ///
  /// - Parameters:
  ///   - hash: A number that differs where records differ.
  ///   - make: Makes the record; called only if the trace is recorded.
  package func record(_ hash: UInt64, _ make: () -> LogRecord) {
    if isOpen { record(hash, make) }
  }

  /// Whether something did not hold.
  package var isViolated: Bool { !violations.isEmpty }

  /// Has a property be known before its place is reached.
  package func declare(_ kind: Property.Kind, _ name: String) { _ = place(kind, name) }

  /// Takes in that the place of a property was reached.
  package func note(_ kind: Property.Kind, _ name: String, holds: Bool) {
    guard isOpen else { return }
    let place = place(kind, name)
    properties[place].reached += 1
    if holds { properties[place].held += 1 }
  }

  /// Takes in whether something held that always has to.
  package func always(_ holds: Bool, _ name: String, _ details: () -> String) {
    note(.always, name, holds: holds)
    if !holds { add(.always, name, details()) }
  }

  /// Takes in that a place was reached that never must be.
  package func unreachable(_ name: String, _ details: String) {
    note(.unreachable, name, holds: false)
    add(.unreachable, name, details)
  }

  /// Takes in that something has happened which never must, also while a world is taken down.
  package func violate(_ name: String, _ details: String) {
    note(.always, name, holds: false)
    append(.always, name, details)
  }

  // MARK: Queues

  /// What takes in how much a queue holds.
  package func gauge(_ name: String, atMost bound: Int) -> QueueGauge {
    let known = queues.firstIndex { $0.name == name }
    let index = known ?? queues.count
    if known == nil {
      precondition(
        index < Self.queuesMax,
        "there are \(Self.queuesMax) kinds of queues: a name says what is kept, and contains no values"
      )
      queues.append(BoundedQueue(name: name, peak: 0, bound: bound))
    }
    return QueueGauge(instrumentation: self, index: index, bound: bound)
  }

  /// Takes in how much a queue holds.
  func note(_ count: Int, atMost bound: Int, inQueue index: Int) {
    guard isOpen, count > queues[index].peak || count > bound else { return }
    if count > queues[index].peak { (queues[index].peak, queues[index].bound) = (count, bound) }
    if count > bound {
      let name = "\(queues[index].name): within the bound"
      note(.always, name, holds: false)
      add(.always, name, "\(count), at most \(bound)")
    }
  }

  // MARK: BUGGIFY

  /// Whether a point of BUGGIFY takes effect this time, which counts as reached.
  package func buggify(_ name: String) -> Bool {
    guard isOpen, buggifyDraws?.occurs(at: name) == true else { return false }
    noteBuggified(name)
    return true
  }

  /// A number in `0..<bound`, when a point of BUGGIFY takes effect this time, which counts as reached.
  package func buggify(_ name: String, below bound: UInt64) -> UInt64? {
    guard isOpen, let number = buggifyDraws?.number(at: name, below: bound) else { return nil }
    noteBuggified(name)
    return number
  }

  private func noteBuggified(_ name: String) {
    note(.reachable, Property.buggifyPrefix + name, holds: true)
  }

  private func add(_ kind: Property.Kind, _ name: String, _ details: String) {
    if isOpen { append(kind, name, details) }
  }

  private func append(_ kind: Property.Kind, _ name: String, _ details: String) {
    guard violations.count < Self.violationsMax else { return }
    let (host, time) = moment()
    violations.append(PropertyViolation(kind, name, host: host, at: time, details))
  }

  private func place(_ kind: Property.Kind, _ name: String) -> Int {
    let key = Property.Key(kind, name)
    if let place = places[key] { return place }
    precondition(
      properties.count < Self.propertiesMax,
      "there are \(Self.propertiesMax) properties: a name says what holds, and contains no values")
    places[key] = properties.count
    properties.append(Property(kind, name))
    return properties.count - 1
  }

  package static let violationsMax = 100
  package static let queuesMax = 1_000
  package static let propertiesMax = 10_000
}
