import Earshot
import EarshotCore
import Foundation
import Synchronization

extension RefusedCall {
  /// A call that sends a message.
  private struct Sending: Sendable {
    let call: String
    let how: String
    let send: @Sendable (Session, [UInt8], Recipients) async throws -> Void
  }

  private static let ways: [Sending] = [
    Sending(call: "Session.send", how: "") { try await $0.send($1, to: $2) },
    Sending(call: "Session.send", how: ", skipping") {
      try await $0.send($1, to: $2, whenFull: .skip)
    },
    Sending(call: "Session.send", how: ", as data") { try await $0.send(Data($1), to: $2) },
    Sending(call: "Session.send", how: ", as a span") { try await $0.send($1.span, to: $2) },
    Sending(call: "Session.trySend", how: "") { try $0.trySend($1, to: $2) },
    Sending(call: "Session.trySend", how: ", as data") { try $0.trySend(Data($1), to: $2) },
    Sending(call: "Session.trySend", how: ", skipping") {
      try $0.trySend($1, to: $2, whenFull: .skip)
    },
    Sending(call: "Session.sendUnreliably", how: "") { try $0.sendUnreliably($1, to: $2) },
    Sending(call: "Session.sendUnreliably", how: ", as data") {
      try $0.sendUnreliably(Data($1), to: $2)
    },
  ]

  private static let hello = Array("hello".utf8)

  static let sending: [RefusedCall] = ways.flatMap { way in
    let send = way.send
    return [
      RefusedCall(way.call, "a message of 100,001 bytes" + way.how, .messageTooLarge) { cast in
        try await send(cast.shared[0], [UInt8](repeating: 0, count: 100_001), .all)
      },
      RefusedCall(way.call, "no member" + way.how, .notConnected) { cast in
        try await send(cast.fresh, hello, .all)
      },
      RefusedCall(way.call, "no recipient" + way.how, .notConnected) { cast in
        try await send(cast.shared[0], hello, [])
      },
      RefusedCall(way.call, "a stranger" + way.how, .notConnected) { cast in
        try await send(cast.shared[0], hello, .member(Cast.dora))
      },
      RefusedCall(way.call, "a stranger among members" + way.how, .notConnected) { cast in
        try await send(cast.shared[0], hello, [cast.cy.id, Cast.dora, cast.bob.id])
      },
      RefusedCall(way.call, "a session that was left" + way.how, .sessionEnded, in: .sharedLeft) {
        cast in
        try await send(cast.shared[0], hello, .present)
      },
      RefusedCall(way.call, "a peer that was stopped" + way.how, .sessionEnded, in: .stopped) {
        cast in
        try await send(cast.shared[0], hello, .all)
      },
    ]
  }

  static let fullBuffers: [RefusedCall] = ways.filter {
    $0.how == ", skipping" || $0.call == "Session.trySend"
  }.map { way in
    RefusedCall(way.call, "a full buffer" + way.how, .sendBufferFull, in: .bufferFull) { cast in
      try await way.send(cast.shared[0], Cast.large, [cast.bob.id])
    }
  }

  static let waiting: [RefusedCall] = [
    RefusedCall("Session.trySend", "one full buffer of two", .sendBufferFull, in: .bufferFull) {
      cast in
      try cast.shared[0].trySend(Cast.large)
    },
    RefusedCall("Session.sendUnreliably", "65,537 bytes", .messageTooLarge) { cast in
      try cast.shared[0].sendUnreliably([UInt8](repeating: 0, count: 65_537))
    },
    RefusedCall("Session.send", "a full buffer", .cancelled, in: .bufferFull) { cast in
      try await cast.shared[0].send(Cast.large, to: [cast.bob.id])
    },
    RefusedCall(
      "Session.send", "a member that is removed", .notConnected, in: .bufferFull,
      meanwhile: .annRemovesBob
    ) { cast in
      try await cast.shared[0].send(Cast.large, to: [cast.bob.id])
    },
    RefusedCall(
      "Session.send", "a session that is left", .notConnected, in: .bufferFull,
      meanwhile: .annLeavesShared
    ) { cast in
      try await cast.shared[0].send(Cast.large, to: [cast.bob.id])
    },
    RefusedCall("SendReceipt.waitForDelivery", "a member that sleeps", .cancelled, in: .bufferFull)
    { cast in
      try await cast.receipt.withLock { $0 }?.waitForDelivery()
    },
    RefusedCall(
      "SendReceipt.waitForDelivery", "a session that is left", .notConnected, in: .bufferFull,
      meanwhile: .annLeavesShared
    ) { cast in
      try await cast.receipt.withLock { $0 }?.waitForDelivery()
    },
  ]

  // MARK: Verifying

  static let verifying: [RefusedCall] = [
    RefusedCall("Session.verify", "a stranger", .notConnected) { cast in
      try await cast.shared[0].verify(Cast.dora)
    },
    RefusedCall("Session.verify", "a member that sleeps", .notConnected, in: .bufferFull) { cast in
      try await cast.shared[0].verify(cast.bob.id)
    },
    RefusedCall("Session.verify", "a peer that is suspended", .notConnected, in: .suspended) {
      cast in
      try await cast.shared[0].verify(cast.bob.id)
    },
    RefusedCall("Session.verify", "a session that was left", .sessionEnded, in: .sharedLeft) {
      cast in
      try await cast.shared[0].verify(cast.bob.id)
    },
    RefusedCall("Session.verify", "a peer that was stopped", .sessionEnded, in: .stopped) { cast in
      try await cast.shared[0].verify(cast.bob.id)
    },
    RefusedCall(
      "Session.verify", "three failures", .verificationFailed, in: .verificationsFailed
    ) { cast in
      try await cast.shared[0].verify(cast.bob.id)
    },
    RefusedCall(
      "Session.verify", "a member that compares none", .verificationFailed, in: .unattended,
      exempt: ["the trace"]
    ) { cast in
      try await cast.shared[0].verify(cast.bob.id)
    },
    RefusedCall(
      "Session.verify", "a link that breaks", .verificationFailed, meanwhile: .bobSleeps
    ) { cast in
      try await cast.shared[0].verify(cast.bob.id)
    },
    RefusedCall("Session.verify", "cancelled", .cancelled) { cast in
      cast.keep(try await cast.shared[0].verify(cast.bob.id))
    },
  ]

  // MARK: Tickets

  static let tickets: [RefusedCall] = [
    RefusedCall("PeerTicket.init", "an empty service type", .invalidServiceType) { cast in
      try PeerTicket(peer: cast.bob.id, serviceType: "", endpoints: [])
    },
    RefusedCall("PeerTicket.init", "an expiry that is not a number", .invalidTicket) { cast in
      try PeerTicket(
        peer: cast.bob.id, serviceType: "room", endpoints: [],
        expiry: Date(timeIntervalSince1970: .nan))
    },
    RefusedCall("PeerTicket.init", "a text that is none", .invalidTicket) { _ in
      try PeerTicket(parsing: "earshot:room")
    },
  ]
}
