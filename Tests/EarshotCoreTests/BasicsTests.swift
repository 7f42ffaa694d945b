import EarshotCore
import Testing
import TestKit

@Suite("Basics")
struct BasicsTests {
  @Test("Every variable-length integer comes back, in its shortest form", arguments: Seed.some(50))
  func varints(seed: Seed) throws {
    var random = seed.generator
    for _ in 0..<100 {
      let value = random.next() >> (2 + random.below(62))
      var writer = ByteWriter()
      writer.writeVarint(value)
      #expect(writer.count == Varint.length(of: value))
      var reader = ByteReader(writer.bytes)
      #expect(try reader.readVarint() == value)
      #expect(reader.isAtEnd)
    }
  }
}
