/// Links as people meet them, by name.
///
/// Round figures for what is typical, not for any one network: those of mobile networks after the profiles of Apple's
/// Network Link Conditioner, those of Bluetooth after the throughput that GATT reaches on phones (some 100 to
/// 700 kbit/s).
public enum LinkProfile: String, Hashable, Sendable, CaseIterable {
  /// A cable.
  case ethernet = "Ethernet"
  /// A room with one access point and few guests.
  case homeWiFi = "home Wi-Fi"
  /// Two devices that talk to each other directly, and listen to others in between.
  case peerToPeerWiFi = "peer-to-peer Wi-Fi"
  /// Hundreds of guests on one channel.
  case conferenceWiFi = "conference Wi-Fi"
  /// A crowded channel behind a slow uplink, with buffers that are too large.
  case airportWiFi = "airport Wi-Fi"
  /// The last room that still has a signal.
  case edgeOfRange = "edge of range"
  /// Doors that close: long bursts in which nothing passes.
  case elevator
  /// Bluetooth Low Energy between two phones.
  case bluetooth = "Bluetooth"
  /// A mobile network of the fourth generation.
  case lte = "LTE"
  /// A mobile network of the third generation.
  case umts = "3G"
  /// A mobile network of the second generation.
  case edge = "EDGE"
  /// A link by way of a satellite in geostationary orbit.
  case satellite

  /// What a link of the profile is like.
  public var change: LinkChange {
    switch self {
    case .ethernet: Self.change(.microseconds(200), .microseconds(100), .zero, megabits: 1_000)
    case .homeWiFi:
      Self.change(.milliseconds(2), .milliseconds(3), .billionths(1_000_000), megabits: 200)
    case .peerToPeerWiFi:
      Self.change(.milliseconds(4), .milliseconds(60), .billionths(5_000_000), megabits: 80)
    case .conferenceWiFi:
      Self.change(.milliseconds(10), .milliseconds(90), .percent(3), megabits: 5) {
        $0.multicastLoss = .percent(15)
      }
    case .airportWiFi:
      Self.change(.milliseconds(40), .milliseconds(160), .percent(2), kilobits: 1_500) {
        $0.queue = 1 << 20
        $0.multicastLoss = .percent(25)
      }
    case .edgeOfRange:
      Self.change(.milliseconds(8), .milliseconds(120), .percent(8), kilobits: 2_000) {
        $0.burst = BurstLoss(share: .percent(10), length: 12)
        $0.multicastLoss = .percent(40)
      }
    case .elevator:
      Self.change(.milliseconds(15), .milliseconds(80), .percent(2), kilobits: 3_000) {
        $0.burst = BurstLoss(share: .percent(30), length: 200)
      }
    case .bluetooth:
      Self.change(.milliseconds(20), .milliseconds(30), .percent(1), kilobits: 400) {
        $0.queue = 32 << 10
      }
    case .lte: Self.change(.milliseconds(50), .milliseconds(15), .zero, megabits: 10)
    case .umts: Self.change(.milliseconds(100), .milliseconds(50), .zero, kilobits: 330)
    case .edge: Self.change(.milliseconds(420), .milliseconds(80), .zero, kilobits: 200)
    case .satellite:
      Self.change(.milliseconds(300), .milliseconds(20), .billionths(5_000_000), megabits: 5)
    }
  }

  private static func change(
    _ latency: Duration, _ jitter: Duration, _ loss: Ratio, megabits: Int = 0, kilobits: Int = 0,
    _ more: (inout LinkChange) -> Void = { _ in }
  ) -> LinkChange {
    var change = LinkChange()
    (change.latency, change.jitter, change.loss) = (latency, jitter, loss)
    change.bandwidth = megabits * 1_000_000 + kilobits * 1_000
    more(&change)
    return change
  }
}

extension Ratio {
  fileprivate static func billionths(_ value: Int64) -> Ratio { Ratio(billionths: value) }
}
