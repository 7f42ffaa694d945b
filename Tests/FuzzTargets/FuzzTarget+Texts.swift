import Earshot
import EarshotCore
import EarshotScenario

extension FuzzTarget {
  /// A ticket: what is read is written so that the same is read again.
  static let ticket = FuzzTarget("ticket", bytesMax: 1_024) { bytes in
    guard let ticket = PeerTicket(String(decoding: bytes, as: UTF8.self)) else { return }
    try law(PeerTicket(ticket.description) == ticket, "\(ticket) is not read as written")
    try law(ticket.endpoints.count <= PeerTicket.maximumEndpointCount, "too many endpoints")
  }

  /// An address, an endpoint or an identifier: what is read is written so that the same is read again.
  static let address = FuzzTarget("address", bytesMax: 128) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    if let address = IPAddress(text) {
      try law(IPAddress(address.description) == address, "\(address) is not read as written")
    }
    if let endpoint = Endpoint(text) {
      try law(Endpoint(endpoint.description) == endpoint, "\(endpoint) is not read as written")
    }
    if let peer = PeerID(text) {
      try law(PeerID(peer.description) == peer, "\(peer) is not read as written")
    }
  }

  /// A scenario file, or one that mistakes are found in.
  static let scenario = FuzzTarget("scenario", bytesMax: 2_048) { bytes in
    do throws(ScenarioError) {
      _ = try Scenario(json5: String(decoding: bytes, as: UTF8.self), file: "scenario.json5")
    } catch {
      try law(!error.description.isEmpty, "a mistake has no words")
    }
  }
}
