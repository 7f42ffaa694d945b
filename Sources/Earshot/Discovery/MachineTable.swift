import EarshotCore

extension AdvertiserMachine: Machine {}
extension BrowserMachine: Machine {}

/// The machines of one kind that run, each with a number, in the order of their beginning.
struct MachineTable<Running: Machine> {
  private var entries: [(number: Int, machine: Running)] = []

  /// The numbers of all machines.
  var numbers: [Int] { entries.map(\.number) }
  /// All machines.
  var machines: [Running] { entries.map(\.machine) }
  /// Whether there are none.
  var isEmpty: Bool { entries.isEmpty }

  /// The machine of a number, or `nil` when it has ended.
  subscript(number: Int) -> Running? {
    get { entries.first { $0.number == number }?.machine }
    set {
      let place = entries.firstIndex { $0.number == number }
      switch (place, newValue) {
      case (let place?, let machine?): entries[place].machine = machine
      case (let place?, nil): entries.remove(at: place)
      case (nil, let machine?): entries.append((number, machine))
      case (nil, nil): break
      }
    }
  }

  /// Has a machine handle an event; one that has ended does nothing.
  ///
  /// - Returns: What must now be done, in order.
  mutating func handle(_ event: Running.Event, by number: Int, at now: Instant) -> [Running.Action]
  {
    guard let place = entries.firstIndex(where: { $0.number == number }) else { return [] }
    var actions: [Running.Action] = []
    entries[place].machine.handle(event, at: now, into: &actions)
    return actions
  }
}
