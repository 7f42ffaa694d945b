import Earshot
import Foundation
import TestKit
import Testing

@Suite("The name of a file from a label")
struct FileNameTests {
  static let names: [(label: String, name: String)] = [
    ("a.txt", "a.txt"), ("Grüße aus Köln.pdf", "Grüße aus Köln.pdf"), ("👩‍👩‍👧.png", "👩‍👩‍👧.png"),
    ("../../.ssh/authorized_keys", "_._.._.ssh_authorized_keys"), ("/etc/passwd", "_etc_passwd"),
    ("C:\\Windows\\a", "C__Windows_a"), (".bashrc", "_bashrc"), ("..", "_"), (".", "_"),
    ("", "unnamed"), ("   ", "_"), (" a", "_a"), ("a. . ", "a"), ("a\u{0}b\nc\u{7F}", "a_b_c_"),
    ("evil\u{202E}gpj.exe", "evilgpj.exe"), ("a\u{200B}b\u{FEFF}", "ab"), ("\u{200D}.a", "_.a"),
    ("CON", "_CON"), ("con.txt", "_con.txt"), ("Nul .tar.gz", "_Nul .tar.gz"), ("com1", "_com1"),
    ("LPT¹.x", "_LPT¹.x"), ("CONSOLE", "CONSOLE"), ("a*?\"<>|b", "a______b"),
    ("u\u{308}", "\u{FC}"), (".earshot-0123456789abcdef.part", "_earshot-0123456789abcdef.part"),
  ]

  @Test("A name is safe, and that of a harmless label its own", arguments: names.indices)
  func safe(index: Int) {
    let (label, name) = Self.names[index]
    #expect(
      Array(FileName(of: label).text.utf8) == Array(name.utf8), "of \(label.debugDescription)")
  }

  @Test("A long name keeps its suffix, whole characters, and 255 bytes")
  func long() {
    let name = FileName(of: String(repeating: "ü", count: 400) + ".tar").text
    #expect(name.utf8.count <= 255 && name.utf8.count > 250)
    #expect(name.hasSuffix("ü.tar"))
    let bare = FileName(
      of: String(repeating: "x", count: 300) + "." + String(repeating: "y", count: 300))
    #expect(bare.text.utf8.count == 255)
    #expect(FileName(of: String(repeating: "x", count: 255)).numbered(10_000).utf8.count == 255)
  }

  @Test("A further file has a number before its suffix")
  func numbered() {
    #expect(FileName(of: "a.txt").numbered(1) == "a.txt")
    #expect(FileName(of: "a.txt").numbered(2) == "a (2).txt")
    #expect(FileName(of: "a").numbered(3) == "a (3)")
    #expect(FileName(of: "a.b.c").numbered(2) == "a.b (2).c")
  }

  @Test(
    "Whatever the label, the name is one safe component, and is its own name",
    arguments: Seed.some(500))
  func laws(seed: Seed) {
    var random = seed.generator
    let parts: [Unicode.Scalar] = [
      ".", "/", "\\", " ", "a", "ü", "\u{308}", "\u{202E}", "\u{0}", "\u{85}", "\u{2028}", "C", "O",
      "N",
      "\u{1F468}", "\u{200D}", "\u{FE0F}", "\u{E0001}", "\u{115F}", "\u{AC00}", "\u{1100}",
      "\u{3000}",
    ]
    var label = String.UnicodeScalarView()
    let count = seed.value % 8 == 0 ? 200 : random.below(12)
    for _ in 0..<count { label.append(parts[Int(random.below(UInt64(parts.count)))]) }
    let name = FileName(of: String(label))
    for number in [1, 2, 9_999] {
      let text = name.numbered(number)
      #expect(1...255 ~= text.utf8.count)
      #expect(
        !text.contains("/") && !text.contains("\\") && !text.hasPrefix(".") && !text.hasPrefix(" "))
      #expect(!text.hasSuffix(".") && !text.hasSuffix(" "))
      #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
      #expect(Array(text.precomposedStringWithCanonicalMapping.utf8) == Array(text.utf8))
    }
    #expect(FileName(of: name.text).text == name.text)
  }
}
