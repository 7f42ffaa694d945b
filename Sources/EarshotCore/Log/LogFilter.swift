/// The least level of the records that a reader of a log gets, for each subsystem.
///
/// ```swift
/// peer.log(LogFilter(.info))
/// peer.log(try LogFilter("discovery:debug,link:off,info"))
/// ```
public struct LogFilter: Hashable, Sendable {
  private var least: LogRecord.Level?
  private var exceptions: [LogRecord.Subsystem: LogRecord.Level?] = [:]

  /// The records of all subsystems, from a level on.
  ///
  /// - Parameter level: The least level; `nil` for no records.
  public init(_ level: LogRecord.Level? = .info) { least = level }

  /// The least level of a subsystem; `nil` for none of its records.
  public subscript(subsystem: LogRecord.Subsystem) -> LogRecord.Level? {
    get { exceptions[subsystem] ?? least }
    set { exceptions[subsystem] = .some(newValue) }
  }

  /// Whether the filter lets a record through.
  public func includes(_ record: LogRecord) -> Bool {
    includes(record.subsystem, at: record.level)
  }

  /// Whether the filter lets the records of a subsystem at a level through.
  package func includes(_ subsystem: LogRecord.Subsystem, at level: LogRecord.Level) -> Bool {
    self[subsystem].map { level >= $0 } ?? false
  }

  /// A filter from text, as the variable `EARSHOT_LOG` of the commands has it.
  ///
  /// The text has parts with commas between them: a level for all subsystems, and
  /// `SUBSYSTEM:LEVEL` for one. The level `off` stands for no records. Without a part for all
  /// subsystems, those that are not named have no records. Later parts count more than earlier
  /// ones; capitals and spaces around parts do not matter.
  ///
  /// - Parameter text: Such as `debug`, or `discovery:debug,link:off,info`. Empty for no records.
  /// - Throws: The part that is neither, with the words that there are.
  public init(_ text: String) throws(LogFilterError) {
    self.init(nil)
    for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: true) {
      let words = part.split(separator: ":", omittingEmptySubsequences: false).map(\.trimmed)
      switch words.count {
      case 1 where words[0].isEmpty: continue
      case 1: least = try Self.level(words[0])
      case 2:
        guard let subsystem = LogRecord.Subsystem(rawValue: words[0]) else {
          throw LogFilterError(words[0], among: LogRecord.Subsystem.allCases.map(\.rawValue))
        }
        self[subsystem] = try Self.level(words[1])
      default: throw LogFilterError(part.trimmed, among: ["LEVEL", "SUBSYSTEM:LEVEL"])
      }
    }
  }

  private static func level(_ word: String) throws(LogFilterError) -> LogRecord.Level? {
    if word == "off" { return nil }
    guard let level = LogRecord.Level(rawValue: word) else {
      throw LogFilterError(word, among: LogRecord.Level.allCases.map(\.rawValue) + ["off"])
    }
    return level
  }
}

/// A text that does not describe a ``LogFilter``.
public struct LogFilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The word that is not known.
  public let word: String
  /// The words that could stand there.
  public let expected: [String]

  init(_ word: String, among expected: [String]) { (self.word, self.expected) = (word, expected) }

  /// The word, and what could stand there.
  public var description: String {
    "\(word.debugDescription) is not one of \(expected.joined(separator: ", "))."
  }
}

extension Substring {
  fileprivate var trimmed: String {
    let isSpace = { (character: Character) in character.isWhitespace }
    let start = drop(while: isSpace)
    return String(start.reversed().drop(while: isSpace).reversed())
  }
}
