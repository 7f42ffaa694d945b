/// Which bytes are which keys.
extension KeyDecoder {
  /// What control characters do, as in Emacs and in shells.
  static let controlKeys: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x04: .endOfInput, 0x05: .end, 0x06: .right,
    0x08: .eraseBackward, 0x0A: .enter, 0x0B: .killToEnd, 0x0C: .clearScreen, 0x0D: .enter,
    0x0E: .down, 0x10: .up, 0x15: .killToStart, 0x17: .killWordBackward, 0x19: .yank,
    0x7F: .eraseBackward,
  ]

  /// What lowercase letters do together with Alt.
  static let altKeys: [UInt8: Key] = [
    UInt8(ascii: "b"): .wordLeft, UInt8(ascii: "f"): .wordRight,
    UInt8(ascii: "d"): .killWordForward,
  ]

  /// What stands behind `ESC O`; the lowercase letters are rxvt's, with Ctrl.
  static let shiftedKeys: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    UInt8(ascii: "M"): .enter, UInt8(ascii: "c"): .wordRight, UInt8(ascii: "d"): .wordLeft,
  ]

  /// What a sequence `ESC [ numbers final` means, if it does.
  ///
  /// A second number is 1 and a bit for each modifier: 1 Shift, 2 Alt, 4 Ctrl.
  static func key(_ numbers: [Int], _ final: UInt8) -> Key? {
    let isWord = numbers.count > 1 && (numbers[1] - 1) & 6 != 0
    switch (final, numbers.first ?? 0) {
    case (UInt8(ascii: "A"), _): return .up
    case (UInt8(ascii: "B"), _): return .down
    case (UInt8(ascii: "C"), _): return isWord ? .wordRight : .right
    case (UInt8(ascii: "D"), _): return isWord ? .wordLeft : .left
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), 1), (UInt8(ascii: "~"), 7): return .home
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), 4), (UInt8(ascii: "~"), 8): return .end
    case (UInt8(ascii: "~"), 3): return isWord ? .killWordForward : .eraseForward
    case (UInt8(ascii: "R"), _) where numbers.count == 2: return .cursorReport(column: numbers[1])
    default: return nil
    }
  }
}
