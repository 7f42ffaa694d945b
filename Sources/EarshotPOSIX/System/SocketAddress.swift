import CEarshot
import EarshotNetwork

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An endpoint as the system writes it.
struct SocketAddress {
  var storage = sockaddr_storage()
  var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

  /// An empty one for the system to fill in.
  init() {}

  init(_ endpoint: Endpoint) {
    switch endpoint.address {
    case .v4(let bits):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(endpoint.address.family.number)
      address.sin_port = endpoint.port.bigEndian
      address.sin_addr.s_addr = bits.bigEndian
      #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      #endif
      store(address)
    case .v6(_, _, let scope):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(endpoint.address.family.number)
      address.sin6_port = endpoint.port.bigEndian
      address.sin6_addr = Self.address(of: endpoint.address)
      address.sin6_scope_id = scope
      #if canImport(Darwin)
        address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
      #endif
      store(address)
    }
  }

  /// What a call of the system fills in, or `nil` if it fails.
  init?(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
    var length = length
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
    }
    guard result == 0 else { return nil }
    self.length = length
  }

  init(storage: sockaddr_storage) { self.storage = storage }

  private mutating func store<Address>(_ address: Address) {
    withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: Address.self) }
    length = socklen_t(MemoryLayout<Address>.size)
  }

  /// Lends the address to a call of the system.
  @discardableResult
  func withPointer<Failure: Error, Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafePointer(to: storage) { pointer throws(Failure) in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Failure) in
        try body(pointer, length)
      }
    }
  }

  /// The endpoint, or `nil` for another family than IPv4 and IPv6.
  var endpoint: Endpoint? { withPointer { pointer, _ in Self.endpoint(at: pointer) } }

  /// The endpoint that the system wrote at an address.
  static func endpoint(at pointer: UnsafePointer<sockaddr>) -> Endpoint? {
    let bytes = UnsafeRawPointer(pointer)
    switch Int32(pointer.pointee.sa_family) {
    case AF_INET:
      let address = bytes.loadUnaligned(as: sockaddr_in.self)
      return Endpoint(
        .v4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
    case AF_INET6:
      let address = bytes.loadUnaligned(as: sockaddr_in6.self)
      return Endpoint(
        Self.address(address.sin6_addr, scope: address.sin6_scope_id),
        port: UInt16(bigEndian: address.sin6_port))
    default: return nil
    }
  }

  static func address(of address: IPAddress) -> in6_addr {
    var system = in6_addr()
    withUnsafeMutableBytes(of: &system) { $0.copyBytes(from: address.bytes) }
    return system
  }

  /// The scope matters for link-local addresses only, which are written with it everywhere.
  private static func address(_ system: in6_addr, scope: UInt32) -> IPAddress {
    let words = withUnsafeBytes(of: system) { bytes in
      (
        bytes.loadUnaligned(as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      )
    }
    return .v6(UInt64(bigEndian: words.0), UInt64(bigEndian: words.1), scope: 0).scoped(to: scope)
  }
}

extension IPAddress.Family {
  /// The system's number for the family.
  var number: Int32 {
    switch self {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }
}
