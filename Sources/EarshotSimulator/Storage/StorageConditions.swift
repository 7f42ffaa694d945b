/// The conditions of the disk of a host.
///
/// Each number has a range. A value outside of it counts as the nearest value of the range.
public struct StorageConditions: Hashable, Sendable {
  /// How many bytes fit on the disk, from 0 to 2⁶²; counted in blocks of 4,096 bytes that are
  /// stored.
  public var capacityBytes: Int
  /// How long each call takes at least: from zero to an hour.
  public var latency: Duration
  /// How many bytes are read in a second, from 1 to 10¹².
  public var readBytesPerSecond: Int
  /// How many bytes are written in a second, from 1 to 10¹².
  public var writeBytesPerSecond: Int

  /// A disk with the given conditions: by default a solid-state disk of 1 TiB.
  public init(
    capacityBytes: Int = 1 << 40, latency: Duration = .microseconds(20),
    readBytesPerSecond: Int = 2_000_000_000, writeBytesPerSecond: Int = 1_000_000_000
  ) {
    (self.capacityBytes, self.latency) = (capacityBytes, latency)
    self.readBytesPerSecond = readBytesPerSecond
    self.writeBytesPerSecond = writeBytesPerSecond
  }

  /// The conditions with each number in its range.
  var bounded: StorageConditions {
    StorageConditions(
      capacityBytes: capacityBytes.clamped(to: 0...1 << 62),
      latency: latency.clamped(to: .ofPackets),
      readBytesPerSecond: readBytesPerSecond.clamped(to: Self.rates),
      writeBytesPerSecond: writeBytesPerSecond.clamped(to: Self.rates))
  }

  /// In bytes a second.
  private static let rates = 1...1_000_000_000_000
}
