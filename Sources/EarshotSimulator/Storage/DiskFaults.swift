/// What the faults that have not ended do to a disk.
struct DiskFaults {
  /// What a fault does.
  enum Fault: Equatable {
    case full, failing
    case slow(factor: Int)
  }
  private var faults: [(id: Int, fault: Fault)] = []

  mutating func begin(_ fault: Fault, _ id: Int) { faults.append((id, fault)) }

  mutating func end(_ id: Int) { faults.removeAll { $0.id == id } }

  /// Whether the disk has no room.
  var isFull: Bool { faults.contains { $0.fault == .full } }

  /// Whether a call fails.
  func fails(_ call: StorageCall) -> Bool {
    (call == .read || call == .write) && faults.contains { $0.fault == .failing }
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
