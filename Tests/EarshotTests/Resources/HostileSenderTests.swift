import Earshot
import EarshotCore
import EarshotSimulator
import EarshotTLS
import Foundation
import Testing

/// What a member can do with the resources that it sends.
extension HostileMemberTests {
  /// What a hostile sender says once its offer was accepted, and what becomes of that resource.
  struct ResourceBreach: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: EarshotError.Code
    let frames: [UInt8]

    init(_ description: String, _ code: EarshotError.Code, _ frames: [UInt8]...) {
      (testDescription, self.code) = (description, code)
      self.frames = frames.flatMap { $0 }
    }

    static let bytes = [UInt8](repeating: 5, count: 10)
    static let digest = KeyDerivation.sha256(bytes)
    static let whole = ResourceFrame.bytes(10).encoded + bytes
    static let check = ResourceFrame.piece(digest: digest).encoded
    static let wrong = [UInt8](repeating: 1, count: 32)

    static let all = [
      ResourceBreach(
        "a wrong digest of a piece", .resourceCorrupted, whole,
        ResourceFrame.piece(digest: wrong).encoded),
      ResourceBreach(
        "a wrong digest of the whole", .resourceCorrupted, whole, check,
        ResourceFrame.end(byteCount: 10, digest: wrong).encoded),
      ResourceBreach("more bytes than offered", .resourceTooLarge, ResourceFrame.bytes(11).encoded),
      ResourceBreach("more zeros than offered", .resourceTooLarge, ResourceFrame.zeros(11).encoded),
      ResourceBreach(
        "fewer bytes than offered", .protocolViolation,
        ResourceFrame.end(byteCount: 0, digest: wrong).encoded),
      ResourceBreach(
        "a piece beyond the end", .protocolViolation, whole, check, ResourceFrame.zeros(1).encoded),
      ResourceBreach("noise", .protocolViolation, [77, 1, 1]),
      ResourceBreach(
        "a frame without end", .protocolViolation, [5, 0xFF] + [UInt8](repeating: 0xFF, count: 7)),
    ]
  }

  private static func offer(_ label: String, isCountExact: Bool = true) -> [UInt8] {
    ResourceFrame.offer(
      ResourceDescription(
        token: [UInt8](repeating: 3, count: 16), label: label, isFile: true, byteCount: 10,
        isCountExact: isCountExact, storedByteCount: 10)
    ).encoded
  }

  private static func open(_ place: UInt64) -> [UInt8] {
    StreamBreach.encoded(
      StreamOpening(place: place, priority: .resource, isTwoWay: true, name: ""))
  }

  private static func data(_ place: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    var wire: [UInt8] = []
    StreamData.appendHeader(
      StreamNumber(rawValue: 2 * place), bytes: bytes.count, isFinal: false, to: &wire)
    return wire + bytes
  }

  @Test(
    "A resource that breaks its rules ends with an error of its own, and nothing is left",
    arguments: ResourceBreach.all)
  func resourceBreach(_ breach: ResourceBreach) async throws {
    let configuration = Session.Configuration(resourcePolicy: .accept(into: Delivery.inbox))
    try await meet(configuration) { mallory, departures in
      let disk = try #require(mallory.victim as? SimulatedHost).disk
      disk.makeFolder(at: "/inbox")
      mallory.dialler.say(Self.open(1) + Self.data(1, Self.offer("../../etc/passwd")))
      var offers = try #require(mallory.anns).resources.makeAsyncIterator()
      let transfer = try #require(await offers.next()?.transfer)
      mallory.dialler.say(Self.data(1, breach.frames))
      #expect(await failure { try await transfer.completed() }?.code == breach.code)
      #expect(disk.names(in: "/inbox") == [] && disk.names(in: "/") == ["inbox"])
      // The next one arrives.
      mallory.dialler.say(Self.open(2) + Self.data(2, Self.offer("good")))
      let next = try #require(await offers.next()?.transfer)
      let end = ResourceFrame.end(
        byteCount: 10, digest: KeyDerivation.sha256(ResourceBreach.digest)
      ).encoded
      mallory.dialler.say(Self.data(2, ResourceBreach.whole + ResourceBreach.check + end))
      try await next.completed()
      #expect(disk.bytes(of: "/inbox/good") == ResourceBreach.bytes)
      #expect(departures()[mallory.id] == nil)
    }
  }

  @Test("What no offer precedes, or what precedes the answer, ends that stream alone")
  func beforeTheAnswer() async throws {
    try await meet { mallory, departures in
      mallory.dialler.say(Self.open(1) + Self.data(1, ResourceBreach.whole))
      mallory.dialler.say(
        Self.open(2) + Self.data(2, Self.offer("early") + ResourceBreach.whole))
      mallory.dialler.say(Self.open(3) + Self.data(3, Self.offer("good")))
      let one = StreamBreach.encoded(
        StreamOpening(place: 4, priority: .resource, isTwoWay: false, name: ""))
      mallory.dialler.say(one + Self.data(4, Self.offer("one-way")))
      var offers = try #require(mallory.anns).resources.makeAsyncIterator()
      let disk = try #require(mallory.victim as? SimulatedHost).disk
      disk.makeFolder(at: "/inbox")
      let offer = try #require(await offers.next())
      #expect(offer.label == "good")
      try await offer.accept(into: Delivery.inbox)
      #expect(departures()[mallory.id] == nil)
    }
  }
}
