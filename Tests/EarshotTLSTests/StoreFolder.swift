import EarshotTLS
import Foundation
import TestKit

/// A folder of a test's own, gone when this is released.
final class StoreFolder: Sendable {
  let path: String
  private let place = TemporaryFolder()

  init() throws { path = try place.make("store") }

  deinit { place.remove() }

  var identity: FileIdentityStore { FileIdentityStore(path: path + "/identity.pem") }
  var trust: FileTrustStore { FileTrustStore(path: path + "/trust.json") }

  /// Makes a file another user's, as only root can.
  func give(_ path: String, to user: UInt32) throws {
    guard chown(path, user, user) == 0 else { throw CocoaError(.fileWriteNoPermission) }
  }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
}
