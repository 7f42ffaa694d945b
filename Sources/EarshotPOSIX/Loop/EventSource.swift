/// What a loop watches a descriptor for; failures are told in any case.
struct Interest: OptionSet {
  let rawValue: UInt32
  static let reading = Interest(rawValue: 1)
  static let writing = Interest(rawValue: 2)
}

/// What is the matter with a descriptor.
struct Readiness: OptionSet {
  let rawValue: UInt32
  static let readable = Readiness(rawValue: 1)
  static let writable = Readiness(rawValue: 2)
  /// It has failed, or both directions have ended.
  static let over = Readiness(rawValue: 4)
}

/// What a descriptor belongs to.
protocol EventSource: AnyObject {
  /// Something is the matter; told again as long as it is, once for `over` without an interest.
  func ready(_ readiness: Readiness)
}

/// The sources by their descriptors, each with a number that tells it from an earlier one of the same place.
struct SourceTable {
  private var entries: [(source: (any EventSource)?, generation: UInt32)] = []

  /// Takes a source in.
  ///
  /// - Returns: What stands for it with the system.
  mutating func insert(_ source: any EventSource, at descriptor: Int32) -> UInt64 {
    let index = Int(descriptor)
    while entries.count <= index { entries.append((nil, 0)) }
    entries[index] = (source, entries[index].generation &+ 1)
    return token(of: descriptor)
  }

  func token(of descriptor: Int32) -> UInt64 {
    UInt64(entries[Int(descriptor)].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
  }

  /// The source that a token stands for, if it is still there.
  func source(of token: UInt64) -> (any EventSource)? {
    let index = Int(token & 0xFFFF_FFFF)
    guard index < entries.count, entries[index].generation == UInt32(token >> 32) else {
      return nil
    }
    return entries[index].source
  }

  mutating func remove(_ descriptor: Int32) {
    let index = Int(descriptor)
    if index < entries.count { entries[index].source = nil }
  }

  mutating func removeAll() { entries = [] }
}
