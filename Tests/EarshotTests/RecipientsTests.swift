import Earshot
import EarshotCore
import EarshotNetwork
import Foundation
import Testing

/// The members that a message is for, whichever call sends it.
@Suite("Recipients", .timeLimit(.minutes(30)))
struct RecipientsTests {
  /// The calls that send a message.
  enum Call: CaseIterable { case send, sendSkippingFull, trySend, trySendSkippingFull, unreliably }

  /// A buffer and a window that two messages of 60 kB fill.
  private static let tight = Session.Configuration(
    sendBufferBytes: 128 << 10, receiveWindowBytes: 128 << 10)
  private static let large = [UInt8](repeating: 7, count: 60_000)

  /// Sends a message; answers with the members that get it, as far as the call tells.
  @discardableResult
  private static func send(
    _ message: [UInt8], to recipients: Recipients, by call: Call, in session: Session
  ) async throws(EarshotError) -> [PeerID]? {
    switch call {
    case .send: return try await session.send(message, to: recipients).recipients
    case .sendSkippingFull:
      return try await session.send(message, to: recipients, whenFull: .skip).recipients
    case .trySend: return try session.trySend(message, to: recipients).recipients
    case .trySendSkippingFull:
      return try session.trySend(message, to: recipients, whenFull: .skip).recipients
    case .unreliably:
      try session.sendUnreliably(message, to: recipients)
      return nil
    }
  }

  @Test("A message for all is refused while there is no member", arguments: Call.allCases)
  func nobody(call: Call) async throws {
    try await Ground.simulated.meet { ann, bob in
      let session = try await ann.makeSession()
      let choices: [(Recipients, [PeerID])] = [
        (.all, []), ([], []), (.members([]), []), (.member(bob.id), [bob.id]),
        ([bob.id, ann.id], [bob.id, ann.id]),
      ]
      for (recipients, missing) in choices {
        let error = await failure {
          try await Self.send([1], to: recipients, by: call, in: session)
        }
        #expect(error?.code == .notConnected, "\(recipients)")
        #expect(error?.peers == missing)
      }
      let recipients = try await Self.send([1], to: .present, by: call, in: session)
      #expect(recipients ?? [] == [])
      await session.stop()
      for recipients in [Recipients.all, .present, []] {
        let error = await failure {
          try await Self.send([1], to: recipients, by: call, in: session)
        }
        #expect(error?.code == .sessionEnded)
      }
    }
  }

  @Test("A message goes to each of its recipients once, and to no other", arguments: Call.allCases)
  func chosen(call: Call) async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy", "Dora"]) { peers in
      let meeting = try await Meeting(of: peers[0])
      var guests: [Session] = []
      for peer in peers.dropFirst() { guests.append(try await meeting.join(peer)) }
      let ids = peers.dropFirst().map(\.id)
      let choices: [(Recipients, [PeerID])] = [
        (.all, ids), (.present, ids), (.member(ids[1]), [ids[1]]), ([ids[2]], [ids[2]]),
        ([ids[0], ids[2], ids[0]], [ids[0], ids[2]]), (.members(ids), ids),
      ]
      for (number, (recipients, expected)) in choices.enumerated() {
        let told = try await Self.send(
          [UInt8(number)], to: recipients, by: call, in: meeting.session)
        #expect(told ?? expected.sorted() == expected.sorted())
      }
      try await peers[0].wait(milliseconds: 1_000)
      for (guest, id) in zip(guests, ids) {
        let expected = choices.indices.filter { choices[$0].1.contains(id) }.map { UInt8($0) }
        #expect(await guest.take(expected.count).sorted() == expected)
        await guest.stop()
        #expect(await guest.messages.reduce(0) { count, _ in count + 1 } == 0)
      }
    }
  }

  @Test("A chosen peer that is no member stops the message to all others", arguments: Call.allCases)
  func stranger(call: Call) async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let meeting = try await Meeting(of: peers[0])
      let bobs = try await meeting.join(peers[1])
      let error = await failure {
        try await Self.send([1], to: [peers[1].id, peers[2].id], by: call, in: meeting.session)
      }
      #expect(error?.code == .notConnected && error?.peers == [peers[2].id])
      try await Self.send([2], to: .all, by: call, in: meeting.session)
      #expect(await bobs.take(1) == [2])
    }
  }

  @Test("The calls take bytes of every kind", arguments: Ground.allCases)
  func kinds(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob)
      let bytes: [UInt8] = [1, 2, 3]
      try await session.send(bytes)
      try await session.send(Data(bytes))
      try await session.send(bytes[...])
      try await session.send(bytes.span)
      try session.trySend(bytes)
      try session.trySend(Data(bytes))
      try session.trySend(bytes[...])
      try session.trySend(bytes.span)
      var count = 0
      for await message in meeting.session.messages {
        #expect(message == Message(sender: bob.id, bytes: bytes))
        count += 1
        if count == 8 { break }
      }
      try session.sendUnreliably(bytes)
      try session.sendUnreliably(Data(bytes))
      try session.sendUnreliably(bytes[...])
      try session.sendUnreliably(bytes.span)
      guard ground == .simulated else { return }
      for await message in meeting.session.messages {
        #expect(message == Message(sender: bob.id, bytes: bytes, isReliable: false))
        #expect(message != Message(sender: bob.id, bytes: bytes))
        count += 1
        if count == 12 { break }
      }
    }
  }

  @Test("A sleeping member that is skipped holds nothing up, and the receipt names it")
  func sleeping() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"], within: .seconds(200)) { peers in
      let meeting = try await Meeting(of: peers[0], Self.tight)
      let session = meeting.session
      let (bobs, cys) = (
        try await meeting.join(peers[1], Self.tight), try await meeting.join(peers[2], Self.tight)
      )
      let reading = peers[2].start { await cys.messages.reduce(0) { count, _ in count + 1 } }
      await peers[1].suspend()
      // Each is awaited, so that the buffer of Cy never fills.
      var (toBob, skipped) = (0, 0)
      for number in 0..<20 {
        let begun = peers[0].host.now
        let receipt =
          number % 2 == 0
          ? try await session.send(Self.large, whenFull: .skip)
          : try session.trySend(Self.large, whenFull: .skip)
        #expect(peers[0].host.now == begun)
        #expect(receipt.recipients.contains(peers[2].id))
        #expect(receipt.recipients.contains(peers[1].id) != (receipt.omitted == [peers[1].id]))
        if receipt.omitted.isEmpty { toBob += 1 } else { skipped += 1 }
        try await session.send([1], to: [peers[2].id]).waitForDelivery()
      }
      #expect(toBob > 0 && skipped > 0)
      for recipients in [Recipients.member(peers[1].id), [peers[1].id]] {
        let error = await failure {
          try await session.send(Self.large, to: recipients, whenFull: .skip)
        }
        #expect(error?.code == .sendBufferFull && error?.peers == [peers[1].id])
        let refusal = await failure {
          try session.trySend(Self.large, to: recipients, whenFull: .skip)
        }
        #expect(refusal?.code == .sendBufferFull && refusal?.peers == [peers[1].id])
      }
      try await peers[1].resume()
      #expect(await bobs.take(toBob).count == toBob)
      try await session.send([9]).waitForDelivery()
      #expect(await bobs.take(1) == [9])
      await cys.stop()
      #expect(try await reading.value == 41)
    }
  }

  @Test("A send throws only if no member gets the message, whenever it is cancelled")
  func cancelled() async throws {
    for number in 0..<40 {
      try await Ground.simulated.meet(["Ann", "Bob", "Cy"], within: .seconds(200)) { peers in
        let meeting = try await Meeting(of: peers[0], Self.tight)
        let session = meeting.session
        let guests = [
          try await meeting.join(peers[1], Self.tight),
          try await meeting.join(peers[2], Self.tight),
        ]
        // Both are slow; one of them half as slow.
        let reading = zip(guests, peers.dropFirst()).enumerated().map { index, guest in
          guest.1.start {
            var firsts: [UInt8] = []
            for await message in guest.0.messages {
              firsts.append(message.bytes[0])
              try? await guest.1.host.sleep(for: .milliseconds(20 * (index + 1)))
            }
            return firsts
          }
        }
        let results = peers[0].start {
          var results: [Result<SendReceipt, any Error>] = []
          for first in 0..<8 {
            let message = [UInt8(first)] + Self.large
            let sending = peers[0].start { try await session.send(message) }
            let isCut = first % 2 == 1
            try await peers[0].host.sleep(for: .milliseconds(isCut ? number : 5))
            if isCut { sending.cancel() }
            results.append(await sending.result)
          }
          return results
        }
        let told = try await results.value
        await session.stop(within: .seconds(60))
        for guest in guests { await guest.stop() }
        for (index, reader) in reading.enumerated() {
          let expected = told.enumerated().filter { _, result in
            (try? result.get())?.recipients.contains(peers[index + 1].id) ?? false
          }
          #expect(try await reader.value == expected.map { UInt8($0.offset) }, "\(number)")
        }
        for result in told {
          switch result {
          case .success(let receipt): #expect(!receipt.recipients.isEmpty)
          case .failure(let error): #expect((error as? EarshotError)?.code == .cancelled)
          }
        }
      }
    }
  }
}
