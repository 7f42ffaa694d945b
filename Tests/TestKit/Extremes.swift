public import EarshotCore

/// The extreme values of the types of public numbers.
public enum Extremes {
  /// The ends of the range, and the values around zero.
  public static func integers<Integer: FixedWidthInteger>(of type: Integer.Type = Int.self)
    -> [Integer]
  {
    let small = [-1, 0, 1].compactMap { Integer(exactly: $0) }
    return (Integer.isSigned ? [.min] : []) + small + [.max]
  }

  /// The ends of the range, the most seconds either way, and the values around zero.
  public static var durations: [Duration] {
    [
      Duration(attoseconds: .min), Duration(secondsComponent: .min, attosecondsComponent: 0),
      .nanoseconds(-1), .zero, .nanoseconds(1),
      Duration(secondsComponent: .max, attosecondsComponent: 0), Duration(attoseconds: .max),
    ]
  }

  /// The ends of the range, and the values around zero.
  public static var instants: [Instant] {
    integers(of: Int64.self).map { Instant(nanoseconds: $0) }
  }

  /// The ends of the range, and its middle.
  public static var ratios: [Ratio] { [.zero, .percent(50), .one] }
}

/// Settings of which one number is extreme.
public struct ExtremeSettings<Settings: Sendable>: Sendable, CustomStringConvertible {
  /// The name of the property that is extreme.
  public let property: String
  /// The settings.
  public let settings: Settings
  private let value: String

  /// The property and its value.
  public var description: String { "\(property): \(value)" }

  /// Settings for each of some values of one property.
  ///
  /// - Parameters:
  ///   - property: The name of the property.
  ///   - path: The property.
  ///   - values: The values.
  ///   - settings: The other properties.
  /// - Returns: The settings.
  public static func rows<Value>(
    _ property: String, _ path: WritableKeyPath<Settings, Value>, _ values: [Value],
    in settings: Settings
  ) -> [ExtremeSettings] {
    values.map { value in
      var extreme = settings
      extreme[keyPath: path] = value
      return ExtremeSettings(property: property, settings: extreme, value: "\(value)")
    }
  }
}

/// What a table of extremes has to cover.
public enum PublicNumbers {
  /// The names of the stored properties of settings that are numbers, in their order.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - others: The types of properties that are no numbers.
  /// - Returns: The names; those of types that are neither are among them, with their type.
  public static func properties(of settings: Any, besides others: [any Any.Type]) -> Set<String> {
    let known = Set(others.map { ObjectIdentifier($0) })
    let names = Mirror(reflecting: settings).children.compactMap { child -> String? in
      let type = Mirror(reflecting: child.value).subjectType
      guard !known.contains(ObjectIdentifier(type)) else { return nil }
      return Self.isNumber(type) ? child.label : "\(child.label ?? "?"): \(type)"
    }
    return Set(names)
  }

  private static func isNumber(_ type: any Any.Type) -> Bool {
    let types: [any Any.Type] = [
      Int.self, Int?.self, UInt8.self, UInt16.self, UInt64.self, Double.self, Duration.self,
      Duration?.self, Instant.self, Ratio.self, Ratio?.self, ClosedRange<Duration>.self,
    ]
    return types.contains { $0 == type }
  }
}
