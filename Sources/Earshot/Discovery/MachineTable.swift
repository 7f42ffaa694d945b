import EarshotCore

extension AdvertiserMachine: Machine {}
extension BrowserMachine: Machine {}

/// The machines of one kind that run, each with a number, in the order of their beginning.
struct MachineTable<Running: Machine> {
  /// All machines.
  private(set) var machines: [Running] = []
  /// The numbers of all machines.
  private(set) var numbers: [Int] = []
  /// Whether there are none.
  var isEmpty: Bool { numbers.isEmpty }

  /// The machine of a number, or `nil` when it has ended.
  subscript(number: Int) -> Running? {
    get { numbers.firstIndex(of: number).map { machines[$0] } }
    set {
      let place = numbers.firstIndex(of: number)
      switch (place, newValue) {
      case (let place?, let machine?): machines[place] = machine
      case (let place?, nil):
        numbers.remove(at: place)
        machines.remove(at: place)
      case (nil, let machine?):
        numbers.append(number)
        machines.append(machine)
      case (nil, nil): break
      }
    }
  }

  /// Has a machine handle an event; one that has ended does nothing.
  ///
  /// - Returns: What must now be done, in order.
  mutating func handle(_ event: Running.Event, by number: Int, at now: Instant) -> [Running.Action]
  {
    guard let place = numbers.firstIndex(of: number) else { return [] }
    var actions: [Running.Action] = []
    machines[place].handle(event, at: now, into: &actions)
    return actions
  }

  /// The greatest of a number that each machine has, or 0; the machines stay where they are meanwhile.
  mutating func greatest(_ number: (inout Running) -> Int) -> Int {
    var greatest = 0
    for place in machines.indices { greatest = max(greatest, number(&machines[place])) }
    return greatest
  }
}
