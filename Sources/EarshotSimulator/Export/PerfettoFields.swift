/// The numbers of the fields of a trace of Perfetto that are written here (perfetto's `protos/perfetto/trace`).
enum PerfettoFields {
  static let packet = 1  // Trace

  enum Packet {
    static let timestamp = 8
    static let sequence = 10
    static let event = 11
    static let internedData = 12
    static let flags = 13
    static let track = 60
  }
  enum Track {
    static let uuid = 1
    static let name = 2
    static let parent = 5
    static let counter = 8
    static let ordering = 11
    static let rank = 12
    /// Children in the order of their ranks.
    static let isRanked: UInt64 = 3
  }
  enum Counter {
    static let unit = 3
    static let bytes: UInt64 = 3
  }
  enum Event {
    static let annotation = 4
    static let kind = 9
    static let nameNumber = 10
    static let track = 11
    static let counterValue = 30
    static let flow = 47
    static let lastFlow = 48
  }
  enum Kind: UInt64 { case begin = 1, end, instant, counter }
  /// What an event may carry; the numbers are those of the names.
  enum Remark: UInt64, CaseIterable {
    case event = 1
    case cause, from, to, bytes, sourcePort, destinationPort, flags, sequenceNumber
    case acknowledgementNumber, window

    var name: String {
      switch self {
      case .event: "event"
      case .cause: "cause"
      case .from: "from"
      case .to: "to"
      case .bytes: "bytes"
      case .sourcePort: "source port"
      case .destinationPort: "destination port"
      case .flags: "flags"
      case .sequenceNumber: "sequence number"
      case .acknowledgementNumber: "acknowledgement number"
      case .window: "window"
      }
    }
  }
  enum Annotation {
    static let nameNumber = 1
    static let number = 4
    static let textNumber = 17
  }
  enum Interned {
    static let name = 2
    static let annotationName = 3
    static let annotationText = 29
    /// The fields of each entry.
    static let number = 1
    static let text = 2
  }
  enum Flags {
    static let begins: UInt64 = 1
    static let continues: UInt64 = 2
  }
}
