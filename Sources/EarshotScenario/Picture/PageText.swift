import EarshotCore
import EarshotSimulator

extension String {
  /// The text as it can stand in an element or an attribute of a page.
  ///
  /// What steers terminals or turns the direction of writing is written out, as everywhere.
  var escapedForPages: String {
    var text = ""
    for character in escapedForTerminals.unicodeScalars {
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }

  /// The text in quotation marks, as JSON within a script element has it: nothing in it ends the element.
  var quotedForScripts: String {
    let isPlain = utf8.allSatisfy { byte in
      (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C && byte != 0x3C
    }
    return isPlain
      ? "\"\(self)\"" : escapedForTerminals.quotedForJSON.replacing("<", with: "\\u003c")
  }
}

extension [UInt8] {
  /// The bytes in the alphabet of RFC 4648 §4.
  var base64: String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((count + 2) / 3 * 4)
    for start in stride(from: 0, to: count, by: 3) {
      let group = (0..<3).reduce(0) { $0 << 8 | (start + $1 < count ? Int(self[start + $1]) : 0) }
      for index in 0..<4 {
        let isPadding = start + index > count
        text.append(
          isPadding ? UInt8(ascii: "=") : alphabet[group >> (18 - 6 * index) & 0x3F])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Duration {
  /// Seconds to the microsecond, without zeros at the end: `12.5`.
  var plainSecondsText: String { String(Quantity.moment(self).dropLast()) }

  /// The duration with three digits: `3.47 ms`, `72.2 s`.
  package var shortText: String {
    guard self != .zero else { return "0 s" }
    let (value, unit) =
      nanoseconds < 1_000_000
      ? (nanoseconds, "µs")
      : nanoseconds < 1_000_000_000
        ? (nanoseconds / 1_000, "ms")
        : (nanoseconds / 1_000_000, "s")
    // Thousandths of the unit.
    let digits = value < 9_995 ? 2 : value < 99_950 ? 1 : 0
    let step: Int64 = [1_000, 100, 10][digits]
    let rounded = (value + step / 2) / step
    let tens: Int64 = [1, 10, 100][digits]
    let fraction = digits == 0 ? "" : ".\(String(tens + rounded % tens).dropFirst())"
    return "\(rounded / tens)\(fraction) \(unit)"
  }
}
