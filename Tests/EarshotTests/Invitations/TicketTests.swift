import Earshot
import EarshotCore
import EarshotNetwork
import Foundation
import Synchronization
import TestKit
import Testing

@Suite("Tickets", .timeLimit(.minutes(30)))
struct TicketTests {
  @Test("A ticket brings two peers together that do not browse", arguments: Ground.allCases)
  func invites(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let ticket = try await ann.ticket(for: "ticketed")
      #expect(ticket.peer == ann.id && ticket.serviceType == "ticketed")
      let port = await ann.port
      #expect(!ticket.endpoints.isEmpty && ticket.endpoints.allSatisfy { $0.port == port })
      let advertiser = try await ann.advertise("ticketed")
      async let accepted: Session? = {
        for await invitation in advertiser.invitations { return try await invitation.accept() }
        return nil
      }()
      let session = try await bob.makeSession()
      let read = try #require(PeerTicket(ticket.description))
      #expect(try await bob.invite(read, to: session) == .accepted)
      let anns = try #require(try await accepted)
      try await session.send([1])
      #expect(await anns.take(1) == [1])
      #expect(try await bob.invite(ticket, to: session) == .accepted)  // A member already.
    }
  }

  @Test("A ticket for a service that is not advertised is a mismatch, and a void one leads nowhere")
  func notAdvertised() async throws {
    try await Ground.simulated.meet { ann, bob in
      let session = try await bob.makeSession()
      let ticket = try await ann.ticket(for: "other")
      #expect(try await bob.invite(ticket, to: session) == .mismatch)
      await ann.stop()
      #expect(try await bob.invite(ticket, to: session) == .unreachable)
    }
  }

  /// A service that should not be dialled.
  private final class Watched: ListenerHandler {
    let count = Mutex(0)
    func listener(
      _ listener: any Listener, accepted connection: any Connection
    ) -> (any ConnectionHandler)? {
      count.withLock { $0 += 1 }
      return nil
    }
    func listener(_ listener: any Listener, failed error: NetworkError) {}
  }

  @Test(
    "A ticket has no peer dial the loopback addresses of its own host, unless it uses them for peers"
  )
  func loopback() async throws {
    try await Ground.simulated.meet { ann, bob in
      let watched = Watched()
      let listener = try bob.host.listen(on: Endpoint(.anyV4, port: 7_200), handler: watched)
      let session = try await bob.makeSession()
      let own = ["127.0.0.1:7200", "127.9.9.9:7200", "[::1]:7200", "[::ffff:127.0.0.1]:7200"]
        .compactMap { Endpoint($0) }
      let hostile = try PeerTicket(peer: ann.id, serviceType: "ticketed", endpoints: own)
      let error = await failure { try await bob.invite(hostile, to: session) }
      #expect(error?.code == .invalidTicket && error?.peers == [ann.id])
      #expect(error?.message.contains("loopback") == true)
      let advertiser = try await ann.advertise("ticketed")
      let accepting = ann.start {
        for await invitation in advertiser.invitations { _ = try await invitation.accept() }
      }
      let mixed = try await PeerTicket(
        peer: ann.id, serviceType: "ticketed",
        endpoints: own + (ann.ticket(for: "ticketed")).endpoints)
      #expect(try await bob.invite(mixed, to: session) == .accepted)
      #expect(watched.count.withLock { $0 } == 0)
      accepting.cancel()
      listener.close()
    }
  }

  @Test("What a ticket cannot be had or used for is an error", arguments: Ground.allCases)
  func errors(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      #expect(await failure { try await ann.ticket(for: "a b") }?.code == .invalidServiceType)
      let ticket = try await ann.ticket(for: "own")
      let session = try await ann.makeSession()
      #expect(await failure { try await ann.invite(ticket, to: session) }?.code == .unknownPeer)
      let error = await failure {
        try PeerTicket(peer: bob.id, serviceType: "", endpoints: [])
      }
      #expect(error?.code == .invalidServiceType)
      await ann.suspend()
      #expect(await failure { try await ann.ticket(for: "own") }?.code == .suspended)
      await ann.stop()
      #expect(await failure { try await ann.ticket(for: "own") }?.code == .stopped)
    }
  }

  @Test("A ticket is its text, and a text that is none is no ticket")
  func text() throws {
    var random = RandomStream(seed: 1)
    let peer = PeerID(random: &random)
    let places = try ["10.0.0.1:7100", "[fe80::1%3]:1", "[2001:db8::1]:65535"].map {
      try #require(Endpoint($0))
    }
    for count in 0...places.count {
      let ticket = try PeerTicket(
        peer: peer, serviceType: "chat", endpoints: Array(places.prefix(count)))
      #expect(PeerTicket(ticket.description) == ticket)
    }
    let ticket = try PeerTicket(peer: peer, serviceType: "chat", endpoints: places)
    let text = ticket.description
    let content = "earshot:chat/\(peer)@10.0.0.1:7100,[fe80::1%3]:1,[2001:db8::1]:65535"
    #expect(text == content + "~" + Self.check(content))
    let place = "10.0.0.1:7100"
    let bad = [
      "", "earshot:", "earshot:chat", "earshot:chat/\(peer)", "chat/\(peer)@\(place)",
      "earshot:/\(peer)@\(place)", "earshot:a b/\(peer)@\(place)", "earshot:chat/abc@\(place)",
      "earshot:chat/\(peer)@\(place),", "earshot:chat/\(peer)@,", "earshot:chat/\(peer)@nowhere",
      "earshot:chat/\(peer)@\(place)~", "earshot:chat/\(peer)@\(place)~soon",
      "earshot:chat/\(peer)@\(place)~1~2", "earshot:chat/\(peer)@\(place)~99999999999999",
      "earshot:chat/\(peer)@" + Array(repeating: place, count: 9).joined(separator: ","),
    ]
    for content in bad {
      #expect(PeerTicket(content) == nil, "\(content)")
      #expect(PeerTicket(content + "~" + Self.check(content)) == nil, "\(content)")
    }
    for text in [text + " ", " " + text, content, text + "~"] { #expect(PeerTicket(text) == nil) }
    Fuzz.inputs(like: [Array(text.utf8)], count: Fuzz.inputCount / 10) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if let ticket = PeerTicket(text), PeerTicket(ticket.description) != ticket {
        Issue.record("\(text) is not read as it is written")
      }
    }
    let many = try PeerTicket(
      peer: peer, serviceType: "chat", endpoints: Array(repeating: places[0], count: 20))
    #expect(many.endpoints.count == PeerTicket.maximumEndpointCount)
    #expect(many.description.utf8.count <= PeerTicket.maximumTextBytes)
  }

  /// CRC-32 as RFC 1952 §8 tells, with its table, in base32.
  private static func check(_ text: String) -> String {
    let table = (0..<256).map { number in
      var entry = UInt32(number)
      for _ in 0..<8 { entry = entry & 1 == 1 ? 0xEDB8_8320 ^ (entry >> 1) : entry >> 1 }
      return entry
    }
    var sum = UInt32.max
    for byte in text.utf8 { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
    return Base32.encode([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ~sum >> UInt32($0)) })
  }

  /// Why a text is no ticket, by a part of the sentence.
  private func reason(_ text: String, at time: Date = Date(timeIntervalSince1970: 1e9)) -> String? {
    do throws(EarshotError) {
      _ = try PeerTicket(parsing: text, at: time)
      return nil
    } catch {
      #expect(error.code == .invalidTicket)
      return ["no ticket", "mistyped", "understands", "expired"].first {
        error.message.contains($0)
      }
    }
  }

  @Test("Who copies a ticket hears whether it is none, was mistyped, or has expired")
  func parsing() throws {
    var random = RandomStream(seed: 1)
    let expiry = Date(timeIntervalSince1970: 1_000_000_000.9)
    let ticket = try PeerTicket(
      peer: PeerID(random: &random), serviceType: "chat",
      endpoints: [try #require(Endpoint("10.0.0.1:7100"))], expiry: expiry)
    #expect(ticket.expiry == Date(timeIntervalSince1970: 1_000_000_000))
    let text = ticket.description
    #expect(text.contains("~1000000000~") && PeerTicket(text) == ticket)
    let before = Date(timeIntervalSince1970: 999_999_999)
    #expect(try PeerTicket(parsing: "\n  \(text)\t", at: before) == ticket)
    #expect(reason(text, at: before) == nil && reason(text) == "expired")
    for wrong in ["", "hello", "earshoT:" + text.dropFirst(8), String(repeating: text, count: 20)] {
      #expect(reason(wrong) == "no ticket")
    }
    #expect(reason("earshot:later~" + Self.check("earshot:later")) == "understands")
    // Every character that is changed, left out, or exchanged with the next one.
    let bytes = Array(text.utf8)
    for index in bytes.indices.dropFirst(8) {
      var (changed, less, swapped) = (bytes, bytes, bytes)
      changed[index] = bytes[index] == UInt8(ascii: "7") ? UInt8(ascii: "2") : UInt8(ascii: "7")
      less.remove(at: index)
      if index + 1 < bytes.count { swapped.swapAt(index, index + 1) }
      for wrong in [changed, less, swapped] where wrong != bytes {
        #expect(reason(String(decoding: wrong, as: UTF8.self), at: before) == "mistyped")
      }
    }
  }

  @Test("A peer says how long its ticket is good")
  func lasting() async throws {
    try await Ground.simulated.meet { ann, _ in
      #expect(try await ann.ticket(for: "lasting").expiry == nil)
      let ticket = try await ann.ticket(for: "lasting", validFor: .seconds(3_600))
      let left = try #require(ticket.expiry).timeIntervalSinceNow
      #expect((3_500...3_600).contains(left))
    }
  }
}
