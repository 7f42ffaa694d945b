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
