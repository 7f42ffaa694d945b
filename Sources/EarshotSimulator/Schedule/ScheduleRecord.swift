/// What a policy has chosen in a run, as far as it was not what had become ready first.
///
/// A part of the choices is a record, too: it says another, mostly simpler schedule. As JSON it is one array of
/// whole numbers, two for each choice: how many decisions lie between the one before and this one, and its index.
public struct ScheduleRecord: Hashable, Sendable {
  /// One choice.
  public struct Choice: Hashable, Sendable {
    /// The number of the decision, from 0, among those where more than one thing could be next.
    public var decision: Int { Int(storedDecision) }
    /// What was chosen: its index, from 1, among what could be next, the oldest at 0.
    public var index: Int { Int(storedIndex) }
    private let storedDecision: UInt32
    private let storedIndex: UInt32

    /// A choice.
    ///
    /// - Parameters:
    ///   - decision: The number of the decision, from 0 to 2³² - 1.
    ///   - index: The index of what is chosen, from 1 to 2³² - 1; without such a thing, the oldest
    ///     is chosen.
    ///
    /// Other values count as the nearest of these.
    public init(decision: Int, index: Int) {
      storedDecision = UInt32(clamping: decision)
      storedIndex = UInt32(clamping: index)
    }
  }

  /// The choices, in the order of their decisions, at most 1,048,576.
  ///
  /// After so many the order is that in which things become ready, so that a record is always the whole schedule.
  public let choices: [Choice]

  /// A record of choices.
  ///
  /// - Parameter choices: The choices, in the order of their decisions. A choice for a decision
  ///   that is not after that of the choice before it is left out.
  public init(_ choices: [Choice] = []) {
    if zip(choices, choices.dropFirst()).allSatisfy({ $0.decision < $1.decision }) {
      self.choices = choices
    } else {
      self.choices = choices.reduce(into: []) { kept, choice in
        if kept.last.map({ $0.decision < choice.decision }) ?? true { kept.append(choice) }
      }
    }
  }

  static let choicesMax = 1 << 20

  /// The record as whole numbers, two for each choice: how many decisions lie between the one before and this one, and
  /// its index.
  package var numbers: [Int] {
    var (numbers, next): ([Int], Int) = ([], 0)
    for choice in choices {
      numbers += [choice.decision - next, choice.index]
      next = choice.decision + 1
    }
    return numbers
  }

  /// The record of such numbers, or `nil` when they are none of a run.
  package init?(numbers: [UInt32]) {
    guard numbers.count.isMultiple(of: 2), numbers.count / 2 <= Self.choicesMax else { return nil }
    var (choices, next): ([Choice], UInt64) = ([], 0)
    for place in stride(from: 0, to: numbers.count, by: 2) {
      let decision = next + UInt64(numbers[place])
      guard decision < UInt32.max else { return nil }
      choices.append(Choice(decision: Int(decision), index: Int(numbers[place + 1])))
      next = decision + 1
    }
    self.init(choices)
  }
}

extension ScheduleRecord: Codable {
  /// Reads a record.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError` for what is no array of pairs of whole numbers below 2³², and what the decoder throws.
  public init(from decoder: any Decoder) throws {
    var numbers = try decoder.unkeyedContainer()
    var read: [UInt32] = []
    while !numbers.isAtEnd, read.count <= 2 * Self.choicesMax {
      read += [try numbers.decode(UInt32.self), try numbers.decode(UInt32.self)]
    }
    guard let record = ScheduleRecord(numbers: read) else {
      throw DecodingError.dataCorruptedError(
        in: numbers, debugDescription: "a schedule of more choices than a run makes")
    }
    self = record
  }

  /// Writes the record.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for number in numbers { try container.encode(number) }
  }
}
