import EarshotCore
import Foundation

/// What callers give, judged before anything changes.
enum Checked {
  /// A name in composed form (NFC), in which every host finds it under the same bytes (RFC 6762 §16).
  static func displayName(_ text: String) throws(EarshotError) -> DisplayName {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    let composed = isASCII ? text : text.precomposedStringWithCanonicalMapping
    do throws(DisplayNameError) { return try DisplayName(composed) } catch {
      throw EarshotError(.invalidDisplayName, error.description)
    }
  }

  static func service(_ text: String) throws(EarshotError) -> ServiceType {
    do throws(ServiceTypeError) { return try ServiceType(text) } catch {
      throw EarshotError(.invalidServiceType, error.description)
    }
  }

  static func info(_ values: [String: String]?) throws(EarshotError) -> DiscoveryInfo? {
    guard let values else { return nil }
    do throws(DiscoveryInfoError) { return try DiscoveryInfo(values) } catch {
      throw EarshotError(.invalidDiscoveryInfo, error.description)
    }
  }

  static func context(_ bytes: [UInt8]) throws(EarshotError) {
    let max = FrameBounds.contextBytesMax
    guard bytes.count <= max else {
      throw EarshotError(
        .contextTooLarge,
        "The context has \(bytes.count) bytes; shorten it to \(max) and send the rest once connected."
      )
    }
  }
}
