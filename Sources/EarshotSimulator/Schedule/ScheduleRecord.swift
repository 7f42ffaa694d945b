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
    ///   - decision: The number of the decision, from 0.
    ///   - index: The index of what is chosen, from 1; where there is none such, the oldest is.
    /// - Precondition: Both are below 2³², and neither is negative.
    public init(decision: Int, index: Int) {
      (storedDecision, storedIndex) = (UInt32(decision), UInt32(index))
    }
  }

  /// The choices, in the order of their decisions, at most 1,048,576.
  ///
  /// After so many the order is that in which things become ready, so that a record is always the whole schedule.
  public let choices: [Choice]

  /// A record of choices.
  ///
  /// - Parameter choices: The choices.
  /// - Precondition: They are in the order of their decisions, one for each.
  public init(_ choices: [Choice] = []) {
    precondition(
      zip(choices, choices.dropFirst()).allSatisfy { $0.decision < $1.decision },
      "the choices are in the order of their decisions, one for each")
    self.choices = choices
  }

  static let choicesMax = 1 << 20
}

extension ScheduleRecord: Codable {
  /// Reads a record.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError` for what is no array of pairs of whole numbers below 2³², and what the decoder throws.
  public init(from decoder: any Decoder) throws {
    var numbers = try decoder.unkeyedContainer()
    var choices: [Choice] = []
    var next: UInt64 = 0
    while !numbers.isAtEnd {
      let decision = next + UInt64(try numbers.decode(UInt32.self))
      let index = try numbers.decode(UInt32.self)
      guard decision <= UInt32.max, choices.count < Self.choicesMax else {
        throw DecodingError.dataCorruptedError(
          in: numbers, debugDescription: "a schedule of more choices than a run makes")
      }
      choices.append(Choice(decision: Int(decision), index: Int(index)))
      next = decision + 1
    }
    self.init(choices)
  }

  /// Writes the record.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var numbers = encoder.unkeyedContainer()
    var next = 0
    for choice in choices {
      try numbers.encode(choice.decision - next)
      try numbers.encode(choice.index)
      next = choice.decision + 1
    }
  }
}
