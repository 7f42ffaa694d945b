/// What the faults that have not ended do to a disk.
struct DiskFaults {
  /// What a fault does.
  enum Fault: Equatable {
    case full, failing
    case slow(factor: Int)

    /// Whether a call can notice it.
    func isMet(by call: StorageCall) -> Bool {
      switch self {
      case .full: call == .write || call == .freeBytes
      case .failing: call == .read || call == .write
      case .slow: true
      }
    }
  }
  private var faults: [(id: Int, fault: Fault, strike: FaultStrike)] = []

  mutating func begin(_ fault: Fault, _ id: Int, _ strike: FaultStrike) {
    faults.append((id, fault, strike))
  }

  mutating func end(_ id: Int) { faults.removeAll { $0.id == id } }

  /// Whether the disk has no room.
  var isFull: Bool { faults.contains { $0.fault == .full } }

  /// Notes which faults a call meets.
  func noteStrikes(of call: StorageCall) {
    for entry in faults where entry.fault.isMet(by: call) { entry.strike.note() }
  }

  /// Whether a call fails.
  func fails(_ call: StorageCall) -> Bool {
    Fault.failing.isMet(by: call) && faults.contains { $0.fault == .failing }
  }

  /// By which factor calls take longer: that of all faults together, and at most that of one.
  var factor: Int {
    faults.reduce(1) { product, entry in
      guard case .slow(let factor) = entry.fault else { return product }
      return (product * factor).clamped(to: Self.factors)
    }
  }

  /// How slow a disk can be made.
  static let factors = 1...1_000_000
}
