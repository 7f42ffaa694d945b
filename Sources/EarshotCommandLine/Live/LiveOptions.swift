package import Earshot
import EarshotCore
import EarshotScenario
import Foundation

/// What all commands that meet other peers can be told.
package struct LiveOptions: Hashable, Sendable {
  /// The name of the peer; `nil` for one that says nothing of the person or the host.
  package let name: String?
  /// The kind of service that is advertised or looked for.
  package let service: String
  /// The names of the interfaces to use; empty for all.
  package let interfaces: [String]
  /// The port of TCP to listen on, and of UDP unless it is taken; 0 for any.
  package let port: UInt16
  /// The file with the identity of the peer; `nil` for a new one.
  package let identity: String?
  /// Whom the peer trusts.
  package let trust: Trust

  /// Whom the peer of a command trusts.
  package enum Trust: Hashable, Sendable {
    case anyPeer
    case onFirstUse(file: String)
    case pinned(Set<PeerID>)

    var policy: TrustPolicy {
      switch self {
      case .anyPeer: .anyPeer
      case .onFirstUse(let file): .onFirstUse(keptIn: FileTrustStore(path: file))
      case .pinned(let peers): .pinned(peers)
      }
    }
  }

  /// The options of a command line.
  init(_ arguments: Arguments, service: String) throws(UsageError) {
    name = try arguments[option: "--name"].map(Self.checkedName)
    self.service = try Self.checkedService(arguments[option: "--service"] ?? service)
    interfaces = arguments.all("--interface")
    port = UInt16(try arguments.number("--port", else: 0, in: 1...65_535))
    identity = arguments[option: "--identity"]
    guard identity != "" else { throw UsageError("--identity needs a file") }
    trust = try Self.trust(arguments)
    guard !interfaces.contains("") else { throw UsageError("--interface needs a name, such as lo") }
  }

  /// The files in which the peer keeps something.
  var files: [String] {
    guard case .onFirstUse(let file) = trust else { return [identity].compactMap(\.self) }
    return [identity, file].compactMap(\.self)
  }

  private static func trust(_ arguments: Arguments) throws(UsageError) -> Trust {
    let (file, pinned) = (arguments[option: "--trust"], arguments.all("--pin"))
    guard file != "" else { throw UsageError("--trust needs a file") }
    guard file == nil || pinned.isEmpty else {
      throw UsageError("--trust and --pin exclude each other; leave one of them out")
    }
    if let file { return .onFirstUse(file: file) }
    if pinned.isEmpty { return .anyPeer }
    var peers: Set<PeerID> = []
    for text in pinned { peers.insert(try PeerID(text, of: "--pin")) }
    return .pinned(peers)
  }

  private static func checkedName(_ text: String) throws(UsageError) -> String {
    guard text.isEmpty || text.unicodeScalars.contains(where: \.isVisible) else {
      throw UsageError("--name is blank; give a name that others can see")
    }
    do throws(DisplayNameError) { return try DisplayName(text).text } catch {
      throw UsageError(sentence: error.description)
    }
  }

  private static func checkedService(_ text: String) throws(UsageError) -> String {
    do throws(ServiceTypeError) { return try ServiceType(text).text } catch {
      throw UsageError(sentence: error.description)
    }
  }

  /// The options, as the help of a command has them.
  ///
  /// - Parameters:
  ///   - service: The service without the option.
  ///   - createsIdentity: Whether a file of `--identity` that is missing is created.
  /// - Returns: The options in their order.
  static func plans(service: String, createsIdentity: Bool = true) -> [OptionPlan] {
    [
      OptionPlan(
        "--name", "NAME",
        help: "The name that others see (default: peer- and the short\nidentifier)"),
      OptionPlan(
        "--identity", "FILE",
        help: """
          Use the identity in FILE\(createsIdentity ? ", creating it if missing" : "")
          (default: a new one for each run)
          """),
      OptionPlan(
        "--trust", "FILE",
        help: """
          Trust on first use: keep the keys of peers in FILE,
          and refuse other keys by their names (default:
          trust every key)
          """),
      OptionPlan(
        "--pin", "ID", isRepeatable: true,
        help: "Trust the peer with this identifier and no others;\nmay be given several times"),
      OptionPlan("--service", "S", help: "The service (default: \(service))"),
      OptionPlan(
        "--port", "N",
        help:
          "Listen on this port, TCP and UDP, as a firewall may\nrequire (default: any free port)"),
      OptionPlan(
        "--interface", "IF", isRepeatable: true,
        help: "Use this network interface only, such as lo or eth0;\nmay be given several times"),
    ]
  }
}

extension Unicode.Scalar {
  /// Whether there is something to see of the character when it stands alone.
  fileprivate var isVisible: Bool {
    switch properties.generalCategory {
    case .spaceSeparator, .format, .nonspacingMark: false
    default:
      !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && self != "\u{2800}"
    }
  }
}

extension PeerID {
  /// The identifier that is given to an option.
  ///
  /// - Throws: That the text is none.
  init(_ text: String, of option: String) throws(UsageError) {
    guard let id = PeerID(text) else {
      throw UsageError(
        "\(option) takes the 52 characters of an identifier, not \"\(text.escapedForTerminals)\"")
    }
    self = id
  }
}

extension UsageError {
  /// A mistake from a sentence with its full stop.
  init(sentence: String) {
    let sentence = sentence.escapedForTerminals
    self.init(sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)
  }
}

extension Double {
  /// The number, without decimals if it is whole.
  fileprivate var shortText: String {
    let text = description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension Arguments {
  /// The seconds of an option, such as `0.2`.
  ///
  /// - Throws: That the value is no number within the range.
  func seconds(
    _ option: String, else standard: Duration, in range: ClosedRange<Double>
  ) throws(UsageError) -> Duration {
    guard let text = self[option: option] else { return standard }
    guard let seconds = Double(text), range.contains(seconds) else {
      throw UsageError(
        "\(option) takes seconds from \(range.lowerBound.shortText) to \(range.upperBound.shortText), "
          + "not \"\(text.escapedForTerminals)\"")
    }
    return .seconds(seconds)
  }

  /// The whole number of an option.
  ///
  /// - Throws: That the value is no number within the range.
  func number(
    _ option: String, else standard: Int, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    guard let text = self[option: option] else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not \"\(text.escapedForTerminals)\"")
    }
    return number
  }
}
