import Earshot
import Foundation

/// The file of a peer's identity, which tells its identifier before the peer is there; gone when this is released.
final class StoredIdentity: Sendable {
  let path: String
  let id: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "i-\(UUID()).pem").path
    id = try Identity.stored(in: FileIdentityStore(path: path)).id.description
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
