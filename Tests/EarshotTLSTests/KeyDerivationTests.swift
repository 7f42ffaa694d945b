import EarshotTLS
import Testing

@Suite("Key derivation")
struct KeyDerivationTests {
  private func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).compactMap { index in
      UInt8(hex.dropFirst(index).prefix(2), radix: 16)
    }
  }

  @Test("SHA-256 of nothing and of abc (FIPS 180-4)")
  func hash() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(KeyDerivation.sha256([]) == bytes(empty))
    #expect(KeyDerivation.sha256(Array("abc".utf8)) == bytes(abc))
  }

  @Test("HKDF, the first two test cases of RFC 5869")
  func hkdf() {
    let first = KeyDerivation.extract(
      [UInt8](repeating: 0x0b, count: 22), salt: bytes("000102030405060708090a0b0c"))
    #expect(
      first == bytes("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"))
    let output = KeyDerivation.expand(first, info: bytes("f0f1f2f3f4f5f6f7f8f9"), count: 42)
    let expected =
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    #expect(output == bytes(expected))
    let second = KeyDerivation.extract(
      Array(0x00...0x4f), salt: Array(0x60...0xaf))
    #expect(
      second == bytes("06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244"))
    let long = KeyDerivation.expand(second, info: Array(0xb0...0xff), count: 82)
    let expectedLong =
      "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271"
      + "cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
    #expect(long == bytes(expectedLong))
  }

  @Test("Secrets are equal when all their bytes are")
  func equality() {
    #expect(KeyDerivation.areEqual([1, 2], [1, 2]) && KeyDerivation.areEqual([], []))
    #expect(!KeyDerivation.areEqual([1, 2], [1, 3]) && !KeyDerivation.areEqual([1], [1, 2]))
  }
}
