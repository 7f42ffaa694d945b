import EarshotCore
import Testing

@Suite("DNS names")
struct DNSNameTests {
  @Test("Names differ by more than the case of ASCII letters, or not at all (M49)")
  func comparison() {
    #expect(DNSName("Ann", "LOCAL") == DNSName("aNN", "local"))
    #expect(DNSName("Ann", "local").hashValue == DNSName("ANN", "local").hashValue)
    #expect(DNSName("Änn", "local") != DNSName("änn", "local"))
    #expect(DNSName("ab", "local") != DNSName("a", "b", "local"))
  }

  @Test("A name has at most 255 bytes of labels, each of at most 63 (M55)")
  func bounds() {
    let label = [UInt8](repeating: 97, count: 63)
    let short = [UInt8](repeating: 97, count: 62)
    #expect(DNSName(labels: [label, label, label, short])?.wire.count == 255)
    #expect(DNSName(labels: [label, label, label, label]) == nil)
    #expect(DNSName(labels: [label + [97]]) == nil)
    #expect(DNSName(labels: [[]]) == nil)
    #expect(DNSName(labels: (0..<127).map { _ in [97] })?.labels.count == 127)
    #expect(DNSName(labels: (0..<128).map { _ in [97] }) == nil)
  }

  @Test("The parent of a name is the name without its first label")
  func parents() {
    let name = DNSName("Ann", "_chat", "_tcp", "local")
    #expect(name.parent == Ann.domain)
    #expect(name.firstLabel == Array("Ann".utf8))
    #expect(DNSName.root.parent == .root && DNSName.root.firstLabel.isEmpty)
    #expect(Ann.domain.prepending("Ann") == name)
  }

  @Test("A name is below its parent, in any case, and below no other name")
  func below() {
    let name = DNSName("Ann (k7q2)", "_chat", "_tcp", "local")
    #expect(name.isBelow(DNSName("_CHAT", "_tcp", "local")))
    #expect(!name.isBelow(DNSName("_tcp", "local")))
    #expect(!name.isBelow(DNSName("_that", "_tcp", "local")))
    #expect(!name.isBelow(name))
    #expect(DNSName.root.isBelow(.root) && !DNSName.root.isBelow(Ann.domain))
    #expect(name.firstLabelEnds(with: Array(" (k7q2)".utf8)))
    #expect(!name.firstLabelEnds(with: Array("k7q2".utf8)))
    #expect(!name.firstLabelEnds(with: Array("Ann (k7q2)".utf8)))
    #expect(!DNSName.root.firstLabelEnds(with: []))
  }

  @Test("Dots in a label are escaped for people only (D01)")
  func description() {
    #expect(DNSName("Dr. Ann", "local").description == "Dr\\. Ann.local")
    #expect(DNSName("Dr. Ann", "local").labels.count == 2)
  }
}
