/// An address and a port.
public struct Endpoint: Hashable, Sendable {
  /// The host's address.
  public var address: IPAddress
  /// The port; 0 asks the system to choose.
  public var port: UInt16

  /// An endpoint with the given parts.
  public init(_ address: IPAddress, port: UInt16) { (self.address, self.port) = (address, port) }
}

extension Endpoint: Comparable, CustomStringConvertible {
  /// Whether the left endpoint comes first: by address, then by port.
  public static func < (left: Endpoint, right: Endpoint) -> Bool {
    (left.address, left.port) < (right.address, right.port)
  }

  /// `10.0.0.1:7100` or `[fe80::1%2]:7100`.
  public var description: String {
    switch address {
    case .v4: "\(address):\(port)"
    case .v6: "[\(address)]:\(port)"
    }
  }
}

extension Endpoint {
  /// Creates an endpoint from its text, or `nil` if the text is none.
  ///
  /// Takes an address and a port from 0 to 65,535, an IPv6 address in brackets: `10.0.0.1:7100`, `[::1]:7100`,
  /// `[fe80::1%2]:7100`. What ``description`` writes, this reads.
  ///
  /// - Parameter text: The whole text.
  public init?(_ text: some StringProtocol) {
    guard let colon = text.lastIndex(of: ":"),
      let number = IPAddress.decimal(text[text.index(after: colon)...].utf8, countMax: 5),
      let port = UInt16(exactly: number)
    else { return nil }
    var host = text[..<colon]
    let isBracketed = host.first == "[" && host.last == "]" && host.count > 1
    if isBracketed { host = host.dropFirst().dropLast() }
    guard let address = IPAddress(host), (address.family == .v6) == isBracketed else { return nil }
    self.init(address, port: port)
  }
}
