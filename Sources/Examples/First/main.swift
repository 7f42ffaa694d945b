import Earshot
import EarshotPOSIX
import Foundation

/// Answers every invitation, and prints the first message.
func listen(on host: POSIXHost, accepting: Bool) async throws -> Int32 {
  try await withPeer("Ann", trusting: .anyPeer, on: host) { ann in
    let advertiser = try await ann.advertise("first")
    for await invitation in advertiser.invitations {
      guard accepting else {
        await invitation.decline()
        continue
      }
      // The sender may have withdrawn the invitation meanwhile.
      guard let session = try? await invitation.accept() else { continue }
      for await message in session.messages {
        print(String(decoding: message.bytes, as: UTF8.self))
        return 0
      }
    }
    return 1
  }
}

/// Invites the first peer that is found, and says hello.
func greet(on host: POSIXHost) async throws -> Int32 {
  try await withPeer("Bob", trusting: .anyPeer, on: host) { bob in
    let browser = try await bob.browse("first")
    let session = try await bob.makeSession()
    for await case .found(let peer) in browser.events {
      let outcome = try await bob.invite(peer.id, to: session)
      guard outcome == .accepted else {
        print("\(peer.name) did not accept: \(outcome)")
        return 1
      }
      try await session.send("hello".utf8)
      return 0  // The message is delivered before the peer stops.
    }
    return 1
  }
}

var status: Int32 = 2
do {
  let host = try POSIXHost()
  switch CommandLine.arguments.last {
  case "listen": status = try await listen(on: host, accepting: true)
  case "refuse": status = try await listen(on: host, accepting: false)
  case "greet": status = try await greet(on: host)
  default: print("usage: FirstExample listen | refuse | greet")
  }
  await host.shutDown()
} catch {
  print(error)
  status = 1
}
exit(status)
