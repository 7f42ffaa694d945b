/// A text as a QR code (ISO/IEC 18004, model 2): bytes, error correction M, versions 1 to 20.
///
/// What readers of tickets need and no more. Level M repairs about 15 % of the code.
package struct QRCode: Hashable, Sendable {
  /// The number of modules along each side.
  package let size: Int
  private var isDark: [Bool]
  private var isFunction: [Bool]  // Part of a pattern that readers look for: never masked.

  /// The code of a text, as small as it gets; `nil` when it has more than 666 bytes in UTF-8.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    let version = (1...Self.versionMax).first { version in
      4 + Self.countBits(version) + bytes.count * 8 <= Self.dataBytes(version) * 8
    }
    guard let version else { return nil }
    size = version * 4 + 17
    isDark = [Bool](repeating: false, count: size * size)
    isFunction = isDark
    drawPatterns(version)
    draw(Self.interleaved(Self.data(bytes, version), version))
    applyBestMask()
  }

  /// Whether the module of a column and a row is dark; outside of the code none is.
  package subscript(column: Int, row: Int) -> Bool {
    guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
    return isDark[row * size + column]
  }

  // MARK: Data

  private static func countBits(_ version: Int) -> Int { version < 10 ? 8 : 16 }

  /// Mode, count, bytes, and padding up to what the version holds.
  private static func data(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, _ count: Int) {
      for index in (0..<count).reversed() { bits.append(value >> index & 1 == 1) }
    }
    append(0b0100, 4)
    append(bytes.count, countBits(version))
    for byte in bytes { append(Int(byte), 8) }
    let room = dataBytes(version) * 8
    append(0, min(4, room - bits.count))
    append(0, (8 - bits.count % 8) % 8)
    var padding = 0xEC
    while bits.count < room {
      append(padding, 8)
      padding ^= 0xEC ^ 0x11
    }
    return stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }

  /// The blocks with their corrections, byte by byte in turn.
  private static func interleaved(_ data: [UInt8], _ version: Int) -> [UInt8] {
    let (count, corrections) = (blocks[version], correctionBytes[version])
    let all = rawBytes(version)
    let shortCount = count - all % count
    let shortBytes = all / count - corrections
    let divisor = Self.divisor(corrections)
    var (parts, ends): ([[UInt8]], [[UInt8]]) = ([], [])
    var start = 0
    for index in 0..<count {
      let bytes = shortBytes + (index < shortCount ? 0 : 1)
      let part = Array(data[start..<start + bytes])
      start += bytes
      parts.append(part)
      ends.append(remainder(part, divisor))
    }
    var result: [UInt8] = []
    for index in 0...shortBytes {
      for part in parts where index < part.count { result.append(part[index]) }
    }
    for index in 0..<corrections { for end in ends { result.append(end[index]) } }
    return result
  }

  // MARK: Reed–Solomon over GF(256), modulo x⁸ + x⁴ + x³ + x² + 1

  private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product = 0
    for index in (0..<8).reversed() {
      product = product << 1 ^ (product >> 7) * 0x11D
      if right >> UInt8(index) & 1 == 1 { product ^= Int(left) }
    }
    return UInt8(truncatingIfNeeded: product)
  }

  /// The product of (x - 2⁰)(x - 2¹)…, without its first coefficient, which is 1.
  private static func divisor(_ degree: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: degree - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<degree {
      for index in 0..<degree {
        result[index] = multiply(result[index], root)
        if index + 1 < degree { result[index] ^= result[index + 1] }
      }
      root = multiply(root, 2)
    }
    return result
  }

  private static func remainder(_ data: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: divisor.count)
    for byte in data {
      let factor = byte ^ result.removeFirst()
      result.append(0)
      for index in divisor.indices { result[index] ^= multiply(divisor[index], factor) }
    }
    return result
  }

  // MARK: Patterns

  private mutating func set(_ column: Int, _ row: Int, _ dark: Bool) {
    guard (0..<size).contains(column), (0..<size).contains(row) else { return }
    isDark[row * size + column] = dark
    isFunction[row * size + column] = true
  }

  private mutating func drawPatterns(_ version: Int) {
    for index in 0..<size {  // Timing.
      set(6, index, index % 2 == 0)
      set(index, 6, index % 2 == 0)
    }
    for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] {  // Finders, with their borders.
      for dx in -4...4 {
        for dy in -4...4 {
          let distance = max(abs(dx), abs(dy))
          set(column + dx, row + dy, distance != 2 && distance != 4)
        }
      }
    }
    let places = Self.alignments(version)
    for (i, column) in places.enumerated() {
      for (j, row) in places.enumerated() {
        let last = places.count - 1
        if (i, j) == (0, 0) || (i, j) == (0, last) || (i, j) == (last, 0) { continue }
        for dx in -2...2 {
          for dy in -2...2 { set(column + dx, row + dy, max(abs(dx), abs(dy)) != 1) }
        }
      }
    }
    drawFormat(0)  // Holds its place until the mask is chosen.
    if version >= 7 { drawVersion(version) }
  }

  private static func alignments(_ version: Int) -> [Int] {
    guard version > 1 else { return [] }
    let count = version / 7 + 2
    let step = (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
    let last = version * 4 + 10
    return [6] + (0..<count - 1).reversed().map { last - $0 * step }
  }

  private mutating func drawFormat(_ mask: Int) {
    let data = 0b00 << 3 | mask  // 00 stands for M.
    var rest = data
    for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
    let bits = (data << 10 | rest) ^ 0x5412
    func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
    for index in 0...5 { set(8, index, bit(index)) }
    set(8, 7, bit(6))
    set(8, 8, bit(7))
    set(7, 8, bit(8))
    for index in 9..<15 { set(14 - index, 8, bit(index)) }
    for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
    for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
    set(8, size - 8, true)
  }

  private mutating func drawVersion(_ version: Int) {
    var rest = version
    for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
    let bits = version << 12 | rest
    for index in 0..<18 {
      let (far, near) = (size - 11 + index % 3, index / 3)
      set(far, near, bits >> index & 1 == 1)
      set(near, far, bits >> index & 1 == 1)
    }
  }

  // MARK: Modules

  /// From the right to the left, in pairs of columns, up and down in turn.
  private mutating func draw(_ bytes: [UInt8]) {
    var index = 0
    var right = size - 1
    while right >= 1 {
      if right == 6 { right = 5 }
      for step in 0..<size {
        let isUpward = (right + 1) & 2 == 0
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isFunction[row * size + column] {
          guard index < bytes.count * 8 else { continue }
          isDark[row * size + column] = bytes[index / 8] >> UInt8(7 - index % 8) & 1 == 1
          index += 1
        }
      }
      right -= 2
    }
  }

  private mutating func applyMask(_ mask: Int) {
    for row in 0..<size {
      for column in 0..<size where !isFunction[row * size + column] {
        let (x, y) = (column, row)
        let isInverted =
          switch mask {
          case 0: (x + y) % 2 == 0
          case 1: y % 2 == 0
          case 2: x % 3 == 0
          case 3: (x + y) % 3 == 0
          case 4: (x / 3 + y / 2) % 2 == 0
          case 5: x * y % 2 + x * y % 3 == 0
          case 6: (x * y % 2 + x * y % 3) % 2 == 0
          default: ((x + y) % 2 + x * y % 3) % 2 == 0
          }
        if isInverted { isDark[row * size + column].toggle() }
      }
    }
  }

  /// Chooses the mask that leaves the fewest places where readers stumble.
  private mutating func applyBestMask() {
    var (best, least) = (0, Int.max)
    for mask in 0..<8 {
      var masked = self
      masked.drawFormat(mask)
      masked.applyMask(mask)
      let penalty = masked.penalty
      if penalty < least { (best, least) = (mask, penalty) }
    }
    drawFormat(best)
    applyMask(best)
  }

  private var penalty: Int {
    var sum = 0
    for index in 0..<size {
      sum += Self.linePenalty((0..<size).map { self[$0, index] })
      sum += Self.linePenalty((0..<size).map { self[index, $0] })
    }
    for row in 0..<size - 1 {
      for column in 0..<size - 1 {
        let dark = self[column, row]
        if self[column + 1, row] == dark, self[column, row + 1] == dark,
          self[column + 1, row + 1] == dark
        {
          sum += 3
        }
      }
    }
    let share = isDark.count(where: \.self) * 20  // Of 20 parts, half should be dark.
    return sum + abs(share - size * size * 10) / (size * size) * 10
  }

  /// What one row or column costs: long runs, and what looks like a finder.
  private static func linePenalty(_ line: [Bool]) -> Int {
    var (sum, run) = (0, 1)
    for index in 1...line.count {
      if index < line.count, line[index] == line[index - 1] {
        run += 1
      } else {
        if run >= 5 { sum += run - 2 }
        run = 1
      }
    }
    let finder = [true, false, true, true, true, false, true]
    let border = [Bool](repeating: false, count: 4)
    for pattern in [finder + border, border + finder] where line.count >= pattern.count {
      for start in 0...line.count - pattern.count
      where line[start..<start + pattern.count].elementsEqual(pattern) {
        sum += 40
      }
    }
    return sum
  }

  // MARK: Sizes, from ISO/IEC 18004 table 9 for level M

  private static let versionMax = 20
  private static let correctionBytes = [
    0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
  ]
  private static let blocks = [
    0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
  ]

  private static func rawBytes(_ version: Int) -> Int {
    var modules = (16 * version + 128) * version + 64
    if version >= 2 {
      let count = version / 7 + 2
      modules -= (25 * count - 10) * count - 55
      if version >= 7 { modules -= 36 }
    }
    return modules / 8
  }

  private static func dataBytes(_ version: Int) -> Int {
    rawBytes(version) - correctionBytes[version] * blocks[version]
  }
}

extension QRCode {
  /// The code for a terminal, two rows of modules to a line, with its quiet border.
  ///
  /// - Parameter isColoured: Whether the terminal can be told to show black on white. Otherwise light modules are drawn,
  ///   as is right where letters are brighter than what is behind them, and what cameras can read where they are not.
  /// - Returns: The lines, with a line break behind each.
  package func lines(isColoured: Bool) -> String {
    let (border, range) = (4, -4..<size + 4)
    var text = ""
    for row in stride(from: -border, to: size + border, by: 2) {
      if isColoured { text += "\u{1B}[30;107m" }
      for column in range {
        let (upper, lower) = (self[column, row], self[column, row + 1])
        switch isColoured ? (upper, lower) : (!upper, !lower) {
        case (true, true): text += "█"
        case (true, false): text += "▀"
        case (false, true): text += "▄"
        case (false, false): text += " "
        }
      }
      text += isColoured ? "\u{1B}[0m\n" : "\n"
    }
    return text
  }
}
