import EarshotCore
import Foundation

extension FirewallRule.Ports {
  /// Ports by number or name, and ranges of them as both tools write them.
  init(_ values: [String]) {
    for value in values {
      let ends = value.split { $0 == "-" || $0 == ":" }.map { UInt16($0) }
      if let low = ends.first ?? nil, let high = ends.last ?? nil, low <= high {
        ranges.append(low...high)
      } else if let port = Self.port(named: value) {
        ranges.append(port...port)
      } else {
        isComplete = false
      }
    }
  }

  private static func port(named name: String) -> UInt16? {
    guard let entry = getservbyname(name, nil) else { return name == "mdns" ? 5_353 : nil }
    return UInt16(truncatingIfNeeded: entry.pointee.s_port).byteSwapped
  }
}

extension FirewallRule.Addresses {
  /// Addresses and networks as both tools write them; a range that is no network is not read.
  init(_ values: [String]) {
    ranges = values.compactMap { AddressRange(text: $0) }
    isComplete = ranges.count == values.count
  }
}

extension AddressRange {
  /// A network as tools write it: an address, alone or with the number of its bits.
  init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1)
    guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
    let most = address.family == .v4 ? 32 : 128
    guard let bits = parts.count == 2 ? Int(parts[1]) : most, (0...most).contains(bits) else {
      return nil
    }
    self.init(address, bits: bits)
  }
}
