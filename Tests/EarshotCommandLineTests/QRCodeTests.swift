import EarshotCommandLine
import Foundation
import Testing

@Suite("QR codes")
struct QRCodeTests {
  /// The modules, a row a line, dark ones as #.
  private static func picture(_ code: QRCode) -> [String] {
    (0..<code.size).map { row in
      String((0..<code.size).map { code[$0, row] ? "#" : "." })
    }
  }

  // Read from this picture by zbarimg of Debian's zbar-tools.
  @Test("The code of a word is the one that readers know")
  func golden() throws {
    let code = try #require(QRCode("hello"))
    #expect(
      Self.picture(code) == [
        "#######..##...#######",
        "#.....#.##....#.....#",
        "#.###.#..#.##.#.###.#",
        "#.###.#...##..#.###.#",
        "#.###.#.##..#.#.###.#",
        "#.....#.....#.#.....#",
        "#######.#.#.#.#######",
        "..........###........",
        "#.#.#.#..#.#....#..#.",
        "..#.##....#...#....##",
        ".#.#..#.###.#...#####",
        "##..#.........#....#.",
        ".##.#.##..#.#.#.#....",
        "........####.#.#..###",
        "#######...##.###..###",
        "#.....#...####.##....",
        "#.###.#.#.##.###...##",
        "#.###.#..#....##..##.",
        "#.###.#.###.#...#.#.#",
        "#.....#..#....#.#..#.",
        "#######.###.#.##...##",
      ])
  }

  @Test(
    "Sizes follow the standard's capacities for bytes at level M",
    arguments: [
      (14, 21), (15, 25), (26, 25), (27, 29), (42, 29), (62, 33), (84, 37), (106, 41), (122, 45),
      (152, 49), (180, 53), (213, 57), (251, 61), (287, 65), (331, 69), (362, 73), (412, 77),
      (450, 81), (504, 85), (560, 89), (624, 93), (666, 97),
    ])
  func capacities(bytes: Int, size: Int) throws {
    let code = try #require(QRCode(String(repeating: "a", count: bytes)))
    #expect(code.size == size)
    #expect(QRCode(String(repeating: "a", count: 667)) == nil)
  }

  @Test(
    "Lines show what is light, or black on white where there are colours, within a quiet border")
  func lines() throws {
    let code = try #require(QRCode("hello"))
    let plain = code.lines(isColoured: false).split(separator: "\n")
    #expect(plain.count == 15 && plain.allSatisfy { $0.count == 29 })
    #expect(plain[0] == Substring(String(repeating: "█", count: 29)))
    #expect(plain[2].hasPrefix("████ ▄▄▄▄▄ █") && plain[2].hasSuffix(" ▄▄▄▄▄ ████"))
    let coloured = code.lines(isColoured: true).split(separator: "\n")
    #expect(coloured.allSatisfy { $0.hasPrefix("\u{1B}[30;107m") && $0.hasSuffix("\u{1B}[0m") })
    #expect(coloured[2].contains("    █▀▀▀▀▀█ "))
  }

  @Test(
    "What another program reads is what was written",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zbarimg"), "needs zbarimg"),
    arguments: [1, 14, 15, 60, 120, 130, 160, 180, 200, 250, 331, 450, 666])
  func reading(bytes: Int) throws {
    let characters = Array("abcdefghijklmnopqrstuvwxyz234567:/@.,~[]%0189")
    let text = String((0..<bytes).map { characters[($0 * 7 + bytes * 13) % characters.count] })
    let code = try #require(QRCode(text))
    let (scale, border) = (4, 4)
    let side = (code.size + 2 * border) * scale
    var image = "P1\n\(side) \(side)\n"
    for y in 0..<side {
      for x in 0..<side { image += code[x / scale - border, y / scale - border] ? "1 " : "0 " }
      image += "\n"
    }
    let path = FileManager.default.temporaryDirectory.appending(path: "qr-\(UUID()).pbm").path
    try image.write(toFile: path, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let output = Pipe()
    let reader = try ChildProcess(
      ["/usr/bin/zbarimg", "--quiet", "--raw", path], output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let read = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    reader.wait()
    #expect(read == text + "\n")
  }
}
