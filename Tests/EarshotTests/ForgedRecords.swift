import Earshot
import EarshotCore
import EarshotSimulator
import TestKit
import Testing

/// One kind of packets that a neighbour forges about a peer.
struct Forgery: Sendable, CustomTestStringConvertible {
  enum Content: String, CaseIterable { case conflict, goodbye, copy }
  enum Section: String, CaseIterable { case answer, addition, probe, question }
  /// The address that it claims to come from: the neighbour's, the peer's own, or that of a
  /// browser.
  enum Source: String, CaseIterable { case eve, peer, browser }
  /// Where it goes: to the group, to a browser alone, or to the peer alone.
  enum Target: String, CaseIterable { case group, browser, peer }

  let content: Content
  let section: Section
  let types: [DNSType]
  let source: Source
  let target: Target
  var flushesCache = true
  var isTruncated = false
  /// Whether lies come after the truth in the order of RFC 6762 §8.2, so that they win.
  var isLater = false

  var testDescription: String {
    let words = types.map { "\($0.rawValue)" }.joined(separator: "+")
    let flags =
      (flushesCache ? "" : ", without flush") + (isTruncated ? ", truncated" : "")
      + (isLater ? ", later" : "")
    return "\(content) of \(words) as \(section) from \(source) to \(target)\(flags)"
  }

  /// The message, about a peer that says some records.
  func message(about said: [DNSRecord], by eve: IPAddress) -> DNSMessage {
    let records = lies(about: said, by: eve)
    guard let pointer = said.first(where: { $0.type == .ptr }),
      case .pointer(let instance) = pointer.data
    else { return DNSMessage(asking: []) }
    switch section {
    case .answer: return DNSMessage(answering: records)
    case .addition: return DNSMessage(answering: [], adding: records)
    case .probe:
      let question = DNSQuestion(instance, .any, wantsUnicast: true)
      return DNSMessage(asking: [question], claiming: records)
    case .question:
      var message = DNSMessage(asking: [DNSQuestion(pointer.name, .ptr)], knowing: records)
      message.isTruncated = isTruncated
      return message
    }
  }

  /// What it says in place of some records.
  func lies(about said: [DNSRecord], by eve: IPAddress) -> [DNSRecord] {
    said.filter { types.contains($0.type) }.compactMap { forged($0, by: eve) }
  }

  private func forged(_ record: DNSRecord, by eve: IPAddress) -> DNSRecord? {
    var forged = record
    if content == .goodbye { forged.lifetimeSeconds = 0 }
    if content == .conflict, let data = lie(about: record.data, by: eve) {
      forged = DNSRecord(record.name, data, lifetimeSeconds: record.lifetimeSeconds)
    }
    forged.flushesCache = record.type != .ptr && section != .question && flushesCache
    return forged
  }

  private func lie(about data: DNSData, by eve: IPAddress) -> DNSData? {
    switch data {
    case .service(_, _, let port, let host):
      return .service(
        priority: isLater ? 9 : 0, weight: 0, port: port == 9 ? 10 : 9, host: host)
    case .text:
      var random = RandomStream(seed: 9, name: "identity of eve")
      let id = PeerID(random: &random)
      guard let name = try? DisplayName("Eve"), let service = try? ServiceType("trap") else {
        return nil
      }
      return .text(Announcement(of: id, named: name, offering: service, on: 9).text.bytes)
    case .address(let address):
      return .address(address.family == .v4 ? eve : .v6(0xFE80 << 48, 0xE4E, scope: 0))
    case .pointer, .types, .other: return nil
    }
  }

  /// The table: each type and section, true to the peer's records and against them, from wherever
  /// it can come.
  static let all: [Forgery] = responses + probes + questions + wholes + later

  private static let types: [[DNSType]] = [[.ptr], [.srv], [.txt], [.a], [.aaaa]]

  private static let responses = Content.allCases.flatMap { content in
    types.flatMap { types in
      [Source.eve, .peer].flatMap { source in
        Target.allCases.flatMap { target in
          [Section.answer, .addition].compactMap { section -> Forgery? in
            if content == .conflict, types == [.ptr] { return nil }
            return Forgery(
              content: content, section: section, types: types, source: source, target: target)
          }
        }
      }
    }
  }

  private static let probes = types.dropFirst().flatMap { types in
    [Source.eve, .peer].flatMap { source in
      [Target.group, .peer].map { target in
        Forgery(content: .conflict, section: .probe, types: types, source: source, target: target)
      }
    }
  }

  private static let questions = Source.allCases.flatMap { source in
    [Target.group, .peer].flatMap { target in
      [false, true].map { isTruncated in
        Forgery(
          content: .copy, section: .question, types: [.ptr], source: source, target: target,
          isTruncated: isTruncated)
      }
    }
  }

  private static let later = [Section.answer, .probe].flatMap { section in
    [Source.eve, .peer].flatMap { source in
      [[.srv], [.srv, .txt, .a, .aaaa]].map { types in
        Forgery(
          content: .conflict, section: section, types: types, source: source, target: .group,
          isLater: true)
      }
    }
  }

  /// All that a peer says at once.
  private static let wholes = Content.allCases.flatMap { content in
    [Source.eve, .peer].flatMap { source in
      [Target.group, .browser].flatMap { target in
        [true, false].map { flushesCache in
          Forgery(
            content: content, section: .answer,
            types: content == .conflict ? [.srv, .txt, .a, .aaaa] : [.ptr, .srv, .txt, .a, .aaaa],
            source: source, target: target, flushesCache: flushesCache)
        }
      }
    }
  }

  /// Whether it says all that makes a peer, as that says it: what is said so of a peer that has
  /// left cannot be told from the peer.
  var isWholeCopy: Bool { content == .copy && types.count > 1 }
}
