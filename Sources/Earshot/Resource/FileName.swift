import EarshotCore
import Foundation

/// The name of a file that is made from a label of a remote peer.
///
/// Safe on every file system: one path component in NFC, of at most 255 bytes, without what
/// separates paths, controls a terminal or the direction of text, or is ignored by file systems
/// that fold names. It does not begin with a dot or a space, does not end with one, and is not the
/// name of a device of Windows.
package struct FileName: Hashable, Sendable {
  /// The name.
  package let text: String

  /// A name from a label, of which `../a/b` becomes `_._a_b`.
  package init(of label: String) {
    var scalars = String.UnicodeScalarView()
    for scalar in label.precomposedStringWithCanonicalMapping.unicodeScalars {
      if Self.isIgnored(scalar) { continue }
      scalars.append(Self.isForbidden(scalar) ? "_" : scalar)
    }
    var name = String(scalars)
    if let first = name.unicodeScalars.first, Self.isForbiddenFirst(first) {
      name = "_" + String(name.unicodeScalars.dropFirst())
    }
    name = Self.shortened(name, toBytes: Self.bytesMax)
    while let last = name.unicodeScalars.last, last == "." || last.properties.isWhitespace {
      name.unicodeScalars.removeLast()
    }
    if name.isEmpty { name = "unnamed" }
    let stem = name.prefix { $0 != "." }.uppercased().trimmingCharacters(in: .whitespaces)
    if Self.devices.contains(stem) { name = "_" + name }
    // What was cut and put together may compose anew.
    text = name.precomposedStringWithCanonicalMapping
  }

  /// The name of a further file: `a (2).txt` for 2 of `a.txt`.
  ///
  /// - Parameter number: From 1, which gives the name itself.
  /// - Returns: The name.
  package func numbered(_ number: Int) -> String {
    guard number > 1 else { return text }
    let (stem, suffix) = Self.split(text)
    let tail = " (\(number))" + suffix
    return Self.cut(stem, toBytes: 255 - tail.utf8.count) + tail
  }

  private static func shortened(_ name: String, toBytes bytesMax: Int) -> String {
    guard name.utf8.count > bytesMax else { return name }
    let (stem, suffix) = split(name)
    return cut(stem, toBytes: bytesMax - suffix.utf8.count) + suffix
  }

  /// The name without its suffix, and the suffix with its dot, unless that is long.
  private static func split(_ name: String) -> (stem: String, suffix: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    let suffix = String(name[dot...])
    return suffix.utf8.count <= suffixBytesMax ? (String(name[..<dot]), suffix) : (name, "")
  }

  /// As many whole characters as fit; a name of its own if not one does.
  private static func cut(_ text: String, toBytes bytesMax: Int) -> String {
    let prefix = text.prefix(utf8BytesMax: bytesMax)
    return prefix.isEmpty ? "unnamed" : prefix
  }

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": true
    default:
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: true
      default: false
      }
    }
  }

  private static func isForbiddenFirst(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return scalar == "." || properties.isWhitespace || properties.isDefaultIgnorableCodePoint
  }

  /// What is not seen, or changes the direction of what is: some file systems leave it out, too.
  private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    guard properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format else {
      return false
    }
    return scalar != "\u{200D}" && !properties.isVariationSelector  // They are parts of emoji.
  }

  private static let bytesMax = 255
  private static let suffixBytesMax = 16
  private static let devices: Set<String> = {
    let numbers = "123456789¹²³"
    return Set(
      ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"]
        + numbers.map { "COM\($0)" } + numbers.map { "LPT\($0)" })
  }()
}
