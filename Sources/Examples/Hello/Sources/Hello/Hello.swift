import Earshot

/// Advertises as Ann, and returns the first message.
public func listen(on host: any NetworkHost) async throws -> String {
  try await withPeer("Ann", trusting: .anyPeer, on: host) { ann in
    let advertiser = try await ann.advertise("hello")
    for await invitation in advertiser.invitations {
      guard let session = try? await invitation.accept() else { continue }  // Gave up.
      for await message in session.messages {
        return String(decoding: message.bytes, as: UTF8.self)
      }
    }
    throw CancellationError()
  }
}

/// Invites the first peer that is found, and says hello.
public func greet(on host: any NetworkHost) async throws {
  try await withPeer("Bob", trusting: .anyPeer, on: host) { bob in
    let browser = try await bob.browse("hello")
    let session = try await bob.makeSession()
    for await event in browser.events {
      guard case .found(let peer) = event else { continue }
      while try await bob.invite(peer.id, to: session) == .timedOut {}  // Once more.
      try await session.send("hello".utf8)
      return  // It is delivered before the peer ends.
    }
  }
}
