/// A domain name: a path of labels, compared without regard to the case of ASCII letters.
///
/// Labels are bytes; DNS-SD puts UTF-8 into them. A name has at most 255 bytes of labels with their lengths,
/// and so at most 127 labels; the terminating zero is not counted.
///
/// - SeeAlso: RFC 6762 §16 and Appendix C.
package struct DNSName: Hashable, Sendable {
  /// The most bytes of a name, lengths included, terminator not.
  package static let bytesMax = 255
  /// The most bytes of one label.
  package static let labelBytesMax = 63
  /// The name without labels.
  package static let root = DNSName(checkedWire: [])

  /// What all copies of a name share; comparing a name with its copy looks at no byte.
  private final class Storage: Sendable {
    let wire: [UInt8]
    let folded: [UInt8]
    /// Of the lower-case form, by the seeded hash of this process: names are chosen by strangers.
    let hash: Int

    init(_ wire: [UInt8], folded: [UInt8]) {
      (self.wire, self.folded) = (wire, folded)
      var hasher = Hasher()
      unsafe folded.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
      hash = hasher.finalize()
    }
  }

  private let storage: Storage

  /// The labels, each behind its length, as they were written; without the terminating zero.
  package var wire: [UInt8] { storage.wire }
  private var folded: [UInt8] { storage.folded }

  /// A name from its labels, or `nil` when a label is empty or anything is too long.
  package init?(labels: some Sequence<[UInt8]>) {
    var wire: [UInt8] = []
    for label in labels {
      guard (1...Self.labelBytesMax).contains(label.count) else { return nil }
      wire.append(UInt8(label.count))
      wire += label
    }
    guard wire.count <= Self.bytesMax else { return nil }
    self.init(checkedWire: wire)
  }

  /// A name that the house itself makes, from the top of the list to the root.
  ///
  /// - Precondition: No label is empty, and nothing is too long.
  package init(_ labels: String...) {
    guard let name = DNSName(labels: labels.map { Array($0.utf8) }) else {
      preconditionFailure("\(labels) is no name")
    }
    self = name
  }

  /// A name whose labels and lengths were checked.
  init(checkedWire wire: [UInt8]) {
    // A length is at most 63 and so never mistaken for a capital letter.
    let isFolded = !wire.contains { (0x41...0x5A).contains($0) }
    storage = Storage(
      wire,
      folded: isFolded ? wire : wire.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
  }

  /// This name below one more label, or `nil` when that is too long.
  package func prepending(_ label: String) -> DNSName? {
    DNSName(labels: [Array(label.utf8)] + labels)
  }

  /// The labels, from the most specific to the top.
  package var labels: [[UInt8]] {
    labelOffsets.map { Array(wire[$0 + 1..<$0 + 1 + Int(wire[$0])]) }
  }

  /// The first label, or no bytes for the root.
  package var firstLabel: [UInt8] { wire.first.map { Array(wire[1..<1 + Int($0)]) } ?? [] }

  /// The name without its first label; the root's is the root.
  package var parent: DNSName {
    DNSName(checkedWire: wire.first.map { Array(wire.dropFirst(1 + Int($0))) } ?? [])
  }

  /// Whether another name is this one without its first label.
  package func isBelow(_ parent: DNSName) -> Bool {
    let (own, other) = (folded.span, parent.folded.span)
    let start = own.isEmpty ? 0 : 1 + Int(own[0])
    guard own.count - start == other.count else { return false }
    for index in 0..<other.count where own[start + index] != other[index] { return false }
    return true
  }

  /// Whether the first label ends with some bytes and has more than these, in the case that they were written in.
  package func firstLabelEnds(with end: [UInt8]) -> Bool {
    guard let length = wire.first, Int(length) > end.count else { return false }
    return wire[1 + Int(length) - end.count..<1 + Int(length)].elementsEqual(end)
  }

  /// Whether the first label begins with some bytes.
  func firstLabelBegins(with start: [UInt8]) -> Bool {
    guard let length = wire.first, Int(length) >= start.count else { return false }
    return wire[1..<1 + start.count].elementsEqual(start)
  }

  /// Where each label's length stands in `wire`.
  var labelOffsets: [Int] {
    var offsets: [Int] = []
    var offset = 0
    while offset < wire.count {
      offsets.append(offset)
      offset += 1 + Int(wire[offset])
    }
    return offsets
  }

  /// The end of the name from an offset on, in lower case: what compression compares.
  func foldedSuffix(from offset: Int) -> ArraySlice<UInt8> { folded[offset...] }

  /// Whether two names are the same but for the case of ASCII letters.
  package static func == (left: DNSName, right: DNSName) -> Bool {
    left.storage === right.storage
      || left.storage.hash == right.storage.hash && left.folded == right.folded
  }

  /// The hash of the lower-case form; another one in every process, so that no stranger can choose names for it.
  var hashValueOfProcess: Int { storage.hash }

  /// The same: what was hashed once need not be hashed again.
  package var hashValue: Int { storage.hash }

  /// Feeds the hash of the lower-case form to a hasher.
  package func hash(into hasher: inout Hasher) { hasher.combine(storage.hash) }
}

extension DNSName: Comparable {
  /// Whether the left name comes first, by the bytes of the lower-case form.
  package static func < (left: DNSName, right: DNSName) -> Bool {
    left.folded.lexicographicallyPrecedes(right.folded)
  }
}

extension DNSName: CustomStringConvertible {
  /// The presentation form: labels with dots between them; dots and backslashes in a label are escaped.
  package var description: String {
    let texts = labels.map { label in
      let text = String(decoding: label, as: UTF8.self)
      return text.reduce(into: "") { $0 += $1 == "." || $1 == "\\" ? "\\\($1)" : String($1) }
    }
    return texts.isEmpty ? "." : texts.joined(separator: ".")
  }
}
