import Earshot
import EarshotCore
import EarshotSimulator

/// A call that throws, for one reason.
struct RefusedCall: Sendable, CustomStringConvertible {
  /// The name of the call, with its type.
  let call: String
  let reason: String
  let code: EarshotError.Code
  let situation: Situation
  /// The beginnings of the names of facts and reports that the documentation lets differ.
  let exempt: [String]
  /// Something else that happens in any case, a few milliseconds after the call has begun.
  let meanwhile: Meanwhile?
  let make: @Sendable (Cast) async throws -> Void

  /// Something that ends a call.
  enum Meanwhile: String, Sendable {
    case annLeavesFresh, annLeavesShared, annStops, annSuspends, bobStops, bobLeavesInviter
    case annRemovesBob, bobSleeps
  }

  init<Value>(
    _ call: String, _ reason: String, _ code: EarshotError.Code,
    in situation: Situation = .ordinary,
    exempt: [String] = [], meanwhile: Meanwhile? = nil,
    _ make: @escaping @Sendable (Cast) async throws -> Value
  ) {
    (self.call, self.reason, self.code) = (call, reason, code)
    (self.situation, self.exempt, self.meanwhile) = (situation, exempt, meanwhile)
    self.make = { _ = try await make($0) }
  }

  /// Whether the call accepts the open invitation, which may end by that.
  var isAccepting: Bool { call.hasPrefix("Invitation.") }

  /// Whether the call is under way for a while, so that it may have to take back what it has begun.
  var isUnderWay: Bool { code == .cancelled || meanwhile != nil }

  var description: String { "\(call), \(reason), throws \(code.name)" }

  /// All of them.
  static let all: [RefusedCall] = [
    badNames, peer, badServices, badInfos, discoveryStates, discoveryPorts, discovery, inviting,
    strangeInvitations, accepting, strangeAcceptances, sending, fullBuffers, waiting, streams,
    streamEnds, offering, answering, transferring, verifying, tickets,
  ].flatMap { $0 }
}

extension Cast {
  func perform(_ meanwhile: RefusedCall.Meanwhile) async throws {
    try await sleep(.milliseconds(3))
    switch meanwhile {
    case .annLeavesFresh: await fresh.stop()
    case .annLeavesShared: await shared[0].stop()
    case .annStops: await ann.stop()
    case .annSuspends: await ann.suspend()
    case .annRemovesBob: await shared[0].remove(bob.id)
    case .bobStops: await bob.stop()
    case .bobLeavesInviter: await inviter.stop()
    case .bobSleeps: await bob.suspend()
    }
  }
}

// MARK: The peer itself

extension RefusedCall {
  private static let names = [
    ("an empty name", ""), ("a name of 64 bytes", String(repeating: "n", count: 64)),
    ("a name with a control character", "a\u{7}b"),
  ]

  private static let badNames: [RefusedCall] = names.flatMap { reason, name in
    [
      RefusedCall("Peer.init", reason, .invalidDisplayName) { cast in
        try await Peer(name, trusting: .anyPeer, on: cast.host)
      },
      RefusedCall("Peer.rename", reason, .invalidDisplayName) { cast in
        try await cast.ann.rename(to: name)
      },
      RefusedCall("Peer.trust", reason, .invalidDisplayName) { cast in
        try await cast.ann.trust(Cast.dora, as: name)
      },
    ]
  }

  private static let peer: [RefusedCall] = [
    RefusedCall("Peer.init", "a port that is taken", .network) { cast in
      let configuration = Peer.Configuration(port: await cast.ann.port)
      return try await Peer(
        "Eve", trusting: .anyPeer, configuration: configuration, on: cast.host)
    },
    RefusedCall("Peer.init", "no network", .network, in: .networkGone) { cast in
      try await Peer("Eve", trusting: .anyPeer, on: cast.host)
    },
    RefusedCall("Peer.init", "a plain identity", .identityWithoutKey, in: .secured) { cast in
      var random = cast.world.random("eve")
      return try await Peer(
        "Eve", identity: .plain(using: &random), trusting: .anyPeer, on: cast.host)
    },
    RefusedCall("Peer.rename", "a peer that was stopped", .stopped, in: .stopped) { cast in
      try await cast.ann.rename(to: "Anna")
    },
    RefusedCall("Peer.trust", "a broken store", .trustStore, in: .storeBroken) { cast in
      try await cast.ann.trust(Cast.dora, as: "Dora")
    },
    RefusedCall("Peer.trust", "a broken store, of a member", .trustStore, in: .storeBroken) {
      cast in
      try await cast.ann.trust(cast.bob.id, as: "Robert")
    },
    RefusedCall("Peer.distrust", "a broken store", .trustStore, in: .storeBroken) { cast in
      try await cast.ann.distrust(cast.bob.id)
    },
    RefusedCall("Peer.resume", "a peer that was stopped", .stopped, in: .stopped) { cast in
      try await cast.ann.resume()
    },
    RefusedCall("Peer.resume", "no network", .cancelled, in: .networkGone) { cast in
      try await cast.ann.resume()
    },
    RefusedCall(
      "Peer.resume", "suspended again", .suspended, in: .networkGone, meanwhile: .annSuspends
    ) { cast in
      try await cast.ann.resume()
    },
    RefusedCall(
      "Peer.resume", "stopped meanwhile", .stopped, in: .networkGone, meanwhile: .annStops
    ) { cast in
      try await cast.ann.resume()
    },
    RefusedCall("Peer.makeSession", "a peer that was stopped", .stopped, in: .stopped) { cast in
      try await cast.ann.makeSession()
    },
    RefusedCall("Peer.makeSession", "plain links", .encryptionUnavailable) { cast in
      try await cast.ann.makeSession(Session.Configuration(encryptionPreference: .required))
    },
  ]
}

// MARK: Discovery

extension RefusedCall {
  private static let services = [
    ("an empty service type", ""), ("a service type of 16 bytes", "sixteen-letters-"),
    ("a service type with a dot", "a.b"),
  ]
  private static let infos: [(String, [String: String])] = [
    ("an empty key", ["": "a"]), ("a key that is reserved", ["_a": "a"]),
    ("a key with an equals sign", ["a=b": "a"]), ("a key twice", ["a": "a", "A": "b"]),
    ("a value of 256 bytes", ["a": String(repeating: "v", count: 256)]),
    (
      "info of 1,301 bytes",
      Dictionary(
        uniqueKeysWithValues: (0..<6).map { ("\($0)", String(repeating: "v", count: 230)) })
    ),
  ]
  private static let states: [(String, EarshotError.Code, Situation)] = [
    ("a peer that is suspended", .suspended, .suspended),
    ("a peer that was stopped", .stopped, .stopped),
  ]
  private static let ports: [(String, Situation)] = [
    ("a port that another program holds", .discoveryPortTaken),
    ("a port that was lost", .discoveryPortLost),
  ]

  private static let badServices: [RefusedCall] = services.flatMap { reason, service in
    [
      RefusedCall("Peer.advertise", reason, .invalidServiceType) { cast in
        try await cast.ann.advertise(service)
      },
      RefusedCall("Peer.browse", reason, .invalidServiceType) { cast in
        try await cast.ann.browse(service)
      },
      RefusedCall("Peer.ticket", reason, .invalidServiceType) { cast in
        try await cast.ann.ticket(for: service)
      },
    ]
  }

  private static let badInfos: [RefusedCall] = infos.flatMap { reason, info in
    [
      RefusedCall("Peer.advertise", reason, .invalidDiscoveryInfo) { cast in
        try await cast.ann.advertise("other", info: info)
      },
      RefusedCall("Advertiser.update", reason, .invalidDiscoveryInfo) { cast in
        try await cast.room.update(info: info)
      },
    ]
  }

  private static let discoveryStates: [RefusedCall] = states.flatMap { reason, code, situation in
    [
      RefusedCall("Peer.advertise", reason, code, in: situation) { cast in
        try await cast.ann.advertise("other")
      },
      RefusedCall("Peer.browse", reason, code, in: situation) { cast in
        try await cast.ann.browse("third")
      },
      RefusedCall("Peer.ticket", reason, code, in: situation) { cast in
        try await cast.ann.ticket(for: "room")
      },
    ]
  }

  // An attempt to open the port sets timers.
  private static let discoveryPorts: [RefusedCall] = ports.flatMap { reason, situation in
    [
      RefusedCall(
        "Peer.advertise", reason, .discoveryUnavailable, in: situation, exempt: ["the trace"]
      ) { cast in
        try await cast.ann.advertise("other")
      },
      RefusedCall(
        "Peer.browse", reason, .discoveryUnavailable, in: situation, exempt: ["the trace"]
      ) { cast in
        try await cast.ann.browse("third")
      },
    ]
  }

  private static let discovery: [RefusedCall] = [
    RefusedCall("Peer.advertise", "a service that is advertised", .alreadyAdvertised) { cast in
      try await cast.ann.advertise("room", info: ["color": "green"])
    },
    RefusedCall("Peer.browse", "65 browsers", .tooManyBrowsers, in: .manyBrowsers) { cast in
      try await cast.ann.browse("third")
    },
    RefusedCall("Advertiser.update", "a peer that was stopped", .stopped, in: .stopped) { cast in
      try await cast.room.update(info: ["color": "green"])
    },
    RefusedCall(
      "Advertiser.update", "an advertiser that was stopped", .stopped, in: .discoveryPortTaken
    ) { cast in
      try await cast.room.update(info: ["color": "green"])
    },
    RefusedCall(
      "Advertiser.acceptInvitations", "a session that was left", .sessionEnded, in: .sessionsLeft
    ) { cast in
      try await cast.room.acceptInvitations(into: cast.own)
    },
    RefusedCall("Advertiser.acceptInvitations", "a session of Bob's", .sessionEnded) { cast in
      try await cast.room.acceptInvitations(into: cast.bobs)
    },
    RefusedCall(
      "Advertiser.acceptInvitations", "a peer that was stopped", .stopped, in: .stopped
    ) { cast in
      try await cast.room.acceptInvitations(into: cast.own)
    },
  ]
}
