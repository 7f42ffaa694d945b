import Earshot

extension RefusedCall {
  /// A call on a stream.
  private struct Use: Sendable {
    let call: String
    let how: String
    let isReading: Bool
    let make: @Sendable (ByteStream) async throws -> Void
  }

  private static let uses: [Use] = [
    Use(call: "ByteStream.write", how: "", isReading: false) { try await $0.write([1]) },
    Use(call: "ByteStream.tryWrite", how: "", isReading: false) { _ = try $0.tryWrite([1]) },
    Use(call: "ByteStream.waitForDelivery", how: "", isReading: false) {
      try await $0.waitForDelivery()
    },
    Use(call: "ByteStream.read", how: ", up to", isReading: true) {
      _ = try await $0.read(upTo: 1)
    },
    Use(call: "ByteStream.read", how: ", exactly", isReading: true) {
      _ = try await $0.read(exactly: 1)
    },
    Use(call: "ByteStream.next", how: "", isReading: true) {
      _ = try await $0.chunks.makeAsyncIterator().next()
    },
  ]

  static let streams: [RefusedCall] = uses.flatMap { use in
    let make = use.make
    var rows = [
      RefusedCall(use.call, "a direction that was reset" + use.how, .streamReset) { cast in
        try await make(cast.streams.reset)
      },
      // A delivery that is complete is not an error: the direction has to be the other one.
      RefusedCall(use.call, "a stream of the other direction" + use.how, .streamFinished) { cast in
        try await make(use.isReading ? cast.streams.outgoing : cast.streams.incoming)
      },
    ]
    if use.call == "ByteStream.waitForDelivery" {
      rows += [
        RefusedCall(use.call, "a member that sleeps", .cancelled, in: .bufferFull) { cast in
          try await make(cast.streams.open)
        },
        RefusedCall(
          use.call, "a member that is removed", .notConnected, in: .bufferFull,
          meanwhile: .annRemovesBob
        ) { try await make($0.streams.open) },
        RefusedCall(
          use.call, "a session that is left", .sessionEnded, in: .bufferFull,
          meanwhile: .annLeavesShared
        ) { try await make($0.streams.open) },
      ]
    } else {
      rows += [
        RefusedCall(use.call, "a member that has left" + use.how, .notConnected, in: .bobLeft) {
          cast in
          try await make(cast.streams.open)
        },
        RefusedCall(
          use.call, "a session that was left" + use.how, .sessionEnded, in: .sharedLeft
        ) { try await make($0.streams.open) },
      ]
    }
    if use.isReading || use.call == "ByteStream.write" {
      let situation = use.isReading ? Situation.ordinary : .bufferFull
      rows.append(
        RefusedCall(use.call, "one that waits" + use.how, .cancelled, in: situation) { cast in
          try await make(cast.streams.open)
        })
    }
    return rows
  }

  static let streamEnds: [RefusedCall] = [
    RefusedCall("ByteStream.read", "an end that comes before", .endOfStream) { cast in
      try await cast.streams.incoming.read(exactly: 3)
    },
    RefusedCall("Session.openStream", "a name of 256 bytes", .invalidStreamName) { cast in
      try await cast.shared[0].openStream(String(repeating: "n", count: 256), to: cast.bob.id)
    },
    RefusedCall("Session.openStream", "a stranger", .notConnected) { cast in
      try await cast.shared[0].openStream("x", to: Cast.dora)
    },
    RefusedCall("Session.openStream", "a session that was left", .sessionEnded, in: .sharedLeft) {
      cast in
      try await cast.shared[0].openStream("x", to: cast.bob.id)
    },
    RefusedCall("Session.openStream", "a member that allows no more", .cancelled) { cast in
      try await cast.shared[0].openStream("x", to: cast.bob.id)
    },
    RefusedCall(
      "Session.openStream", "a member that is removed", .notConnected, meanwhile: .annRemovesBob
    ) { cast in
      try await cast.shared[0].openStream("x", to: cast.bob.id)
    },
    RefusedCall(
      "Session.openStream", "a session that is left", .sessionEnded, meanwhile: .annLeavesShared
    ) { cast in
      try await cast.shared[0].openStream("x", to: cast.bob.id)
    },
  ]
}

extension Cast {
  /// Streams between Ann and Bob, as Ann sees them.
  struct Streams: Sendable {
    /// In both directions; Bob does not read it.
    let open: ByteStream
    /// That Bob has reset.
    let reset: ByteStream
    /// That Ann alone writes.
    let outgoing: ByteStream
    /// That Bob alone wrote: two bytes and the end.
    let incoming: ByteStream

    /// The counts, as text by name.
    var facts: [String: String] {
      let all = [("open", open), ("reset", reset), ("outgoing", outgoing), ("incoming", incoming)]
      return Dictionary(
        uniqueKeysWithValues: all.map { ("Ann's stream, \($0.0)", "\($0.1.statistics)") })
    }
  }

  /// How many streams Bob allows: those that stay open.
  static let streamCount = 2

  /// Opens them; Bob allows no more then.
  static func openStreams(
    _ shared: [Session], _ ann: PeerID, _ bob: PeerID
  ) async throws -> (streams: Streams, bobs: [ByteStream]) {
    var bobs: [ByteStream] = []
    func open(_ name: String, isOneWay: Bool = false) async throws -> ByteStream {
      let anns = try await shared[0].openStream(name, to: bob, isOneWay: isOneWay)
      for await stream in shared[1].streams {
        bobs.append(stream)
        break
      }
      return anns
    }
    let reset = try await open("reset")
    bobs[0].reset(code: 7)
    let answer = try await shared[1].openStream("incoming", to: ann, isOneWay: true)
    try await answer.write([1, 2])
    answer.finish()
    var incoming: ByteStream?
    for await stream in shared[0].streams {
      incoming = stream
      break
    }
    guard let incoming else { throw CancellationError() }
    let streams = Streams(
      open: try await open("open"), reset: reset,
      outgoing: try await open("outgoing", isOneWay: true), incoming: incoming)
    return (streams, bobs + [answer])
  }
}
