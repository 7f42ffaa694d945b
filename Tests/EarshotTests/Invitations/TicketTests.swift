import Earshot
import EarshotCore
import EarshotNetwork
import TestKit
import Testing

@Suite("Tickets", .timeLimit(.minutes(10)))
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
    #expect(
      ticket.description
        == "earshot:chat/\(peer)@10.0.0.1:7100,[fe80::1%3]:1,[2001:db8::1]:65535")
    let text = ticket.description
    let place = "10.0.0.1:7100"
    let bad = [
      "", "earshot:", "earshot:chat", "earshot:chat/\(peer)", "chat/\(peer)@\(place)",
      "earshot:/\(peer)@\(place)", "earshot:a b/\(peer)@\(place)", "earshot:chat/abc@\(place)",
      "earshot:chat/\(peer)@\(place),", "earshot:chat/\(peer)@,", "earshot:chat/\(peer)@nowhere",
      text + " ", " " + text,
      "earshot:chat/\(peer)@" + Array(repeating: place, count: 9).joined(separator: ","),
    ]
    for text in bad { #expect(PeerTicket(text) == nil, "\(text)") }
    Fuzz.inputs(like: [Array(text.utf8)], count: Fuzz.inputCount / 10) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if let ticket = PeerTicket(text), PeerTicket(ticket.description) != ticket {
        Issue.record("\(text) is not read as it is written")
      }
    }
    let many = try PeerTicket(
      peer: peer, serviceType: "chat", endpoints: Array(repeating: places[0], count: 20))
    #expect(many.endpoints.count == PeerTicket.maximumEndpointCount)
  }
}
