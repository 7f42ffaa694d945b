/// Something that code states of itself while it is being tested, and what came of it in one run.
///
/// A statement stands where the code is that it is about, and has a name:
///
/// ```swift
/// host.always(inbox.count <= limit, "the inbox is bounded")
/// host.sometimes(inbox.count == limit, "the inbox is full")
/// ```
///
/// - SeeAlso: "Test properties" of Antithesis, whose names these are.
public struct Property: Hashable, Sendable, Codable {
  /// What a statement claims.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The condition holds whenever the place is reached.
    case always
    /// The condition holds at least once in all runs together.
    case sometimes
    /// The place is reached at least once in all runs together.
    case reachable
    /// The place is never reached.
    case unreachable
  }
  /// What is claimed.
  public let kind: Kind
  /// What tells the property from all others of its kind, and says what holds.
  public let name: String
  /// How often the place was reached.
  public package(set) var reached = 0
  /// How often the condition held there.
  public package(set) var held = 0

  /// A property whose place has not been reached.
  ///
  /// - Parameters:
  ///   - kind: What is claimed.
  ///   - name: What tells the property from all others of its kind.
  public init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }

  /// What tells it from all other properties.
  package var key: Key { Key(kind, name) }

  /// Whether what has to happen at least once has happened; true of what must never happen.
  public var isSeen: Bool {
    switch kind {
    case .always, .unreachable: true
    case .sometimes, .reachable: held > 0
    }
  }
}

/// A statement that did not hold.
public struct PropertyViolation: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was claimed: `always` or `unreachable`.
  public let kind: Property.Kind
  /// The name of the property.
  public let name: String
  /// The host whose code has stated it; `nil` for a statement about the world.
  public let host: String?
  /// When it did not hold, in the time of the world.
  public let time: Instant
  /// What the statement says of the moment; empty when it says nothing.
  public let details: String

  package init(
    _ kind: Property.Kind, _ name: String, host: String?, at time: Instant, _ details: String
  ) {
    (self.kind, self.name, self.host) = (kind, name, host)
    (self.time, self.details) = (time, details)
  }

  /// The claim, its name, when and where it did not hold, and the details.
  public var description: String {
    let place = host.map { ", on \($0)" } ?? ""
    let text = details.isEmpty ? "" : ": \(details)"
    return "\(kind) \"\(name)\" does not hold at \(time)\(place)\(text)"
  }
}

extension Property {
  /// What tells one property from another.
  ///
  /// Ordered by the names.
  package struct Key: Hashable, Comparable, Sendable {
    let kind: Kind
    let name: String

    init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }

    /// Whether the left one comes first.
    package static func < (left: Key, right: Key) -> Bool {
      (left.name, left.kind.rawValue) < (right.name, right.kind.rawValue)
    }
  }

  /// What the names of properties begin with that say that a point of BUGGIFY has taken effect.
  package static let buggifyPrefix = "buggify: "

  /// The same property, with how often it was reached and held here and in other runs.
  package func adding(_ other: Property) -> Property {
    var sum = self
    // What runs report need not be small: a file may have been changed by hand.
    sum.reached = reached.addingClamped(other.reached)
    sum.held = held.addingClamped(other.held)
    return sum
  }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
