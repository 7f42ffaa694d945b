import EarshotCore
import EarshotTLS
import Testing

@Suite("Verification codes")
struct VerificationCodeTests {
  private static func peer(_ byte: UInt8) -> PeerID {
    guard let id = PeerID([UInt8](repeating: byte, count: 32)) else { preconditionFailure("32") }
    return id
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  // Computed with Python's hashlib and hmac:
  //   b = bytes(range(32)); nI = b"\x11" * 32; nR = b"\x22" * 32; I = b"\xAA" * 32; R = b"\xBB" * 32
  //   commit = sha256(b"earshot sas commit v1\0" + nR + b)
  //   prk = hmac(key=sha256(nI + nR), msg=b)
  //   s = hmac(key=prk, msg=b"earshot sas v1\0" + I + R + b"\x01")[:16]
  //   emoji = [(int(s) >> (128 - 6 * (i + 1))) & 63 for i in range(7)]; digits = int(s[:8]) % 10**6
  @Test("The code is what others compute, too")
  func vector() {
    let secret = VerificationSecret(
      Array(0..<32), dialler: Self.peer(0xAA), listener: Self.peer(0xBB))
    let (diallers, listeners) = (
      [UInt8](repeating: 0x11, count: 32), [UInt8](repeating: 0x22, count: 32)
    )
    #expect(
      Self.hex(secret.commitment(to: listeners))
        == "1048071eb7de93d87a65953378c164c282336b397cef0e4061c047a2a18d0bf8")
    #expect(secret.isCommitment(secret.commitment(to: listeners), to: listeners))
    #expect(!secret.isCommitment(secret.commitment(to: listeners), to: diallers))
    let code = secret.code(diallers: diallers, listeners: listeners)
    #expect(
      code.symbols.map(\.name) == [
        "Flower", "Unicorn", "Octopus", "Key", "Thumbs Up", "Train", "Pencil",
      ])
    #expect(code.digits == "593950")
    #expect(
      code.description
        == "🌷 Flower, 🦄 Unicorn, 🐙 Octopus, 🔑 Key, 👍 Thumbs Up, 🚂 Train, ✏️ Pencil (593 950)")
  }

  @Test("Whatever is exchanged for another thing makes another code")
  func swaps() {
    func code(
      _ secret: UInt8 = 1, dialler: UInt8 = 2, listener: UInt8 = 3, diallers: UInt8 = 4,
      listeners: UInt8 = 5
    ) -> VerificationCode {
      VerificationSecret(
        [UInt8](repeating: secret, count: 32), dialler: Self.peer(dialler),
        listener: Self.peer(listener)
      ).code(
        diallers: [UInt8](repeating: diallers, count: 32),
        listeners: [UInt8](repeating: listeners, count: 32))
    }
    let codes = [
      code(), code(9), code(dialler: 9), code(listener: 9), code(dialler: 3, listener: 2),
      code(diallers: 9), code(listeners: 9), code(diallers: 5, listeners: 4),
    ]
    #expect(Set(codes).count == codes.count)
    #expect(code() == code())
  }

  @Test("Digits have six places, and the 64 symbols differ")
  func texts() {
    let low = VerificationCode(
      [UInt8](repeating: 0, count: 7) + [42] + [UInt8](repeating: 9, count: 8))
    #expect(
      low.digits == "000042" && low.symbols.map(\.name) == [String](repeating: "Dog", count: 7))
    var symbols: Set<VerificationCode.Symbol> = []
    for index in 0..<64 {
      let code = VerificationCode([UInt8(index) << 2] + [UInt8](repeating: 0, count: 15))
      symbols.insert(code.symbols[0])
    }
    #expect(symbols.count == 64 && Set(symbols.map(\.name)).count == 64)
    #expect(Set(symbols.map(\.emoji)).count == 64)
  }
}
