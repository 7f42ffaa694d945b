import Earshot
import EarshotSimulator
import Foundation

extension RefusedCall {
  /// Opening a file takes time of the disk.
  private static let exempt = ["the trace"]

  private static func send(
    _ reason: String, _ code: EarshotError.Code, in situation: Situation = .ordinary,
    at path: String = "file:///home/a", named label: String = "a", to member: PeerID? = nil
  ) -> [RefusedCall] {
    [
      RefusedCall(
        "Session.sendResource", reason + ", of a file", code, in: situation, exempt: exempt
      ) { cast in
        guard let url = URL(string: path) else { return }
        try await cast.shared[0].sendResource(at: url, named: label, to: member ?? cast.bob.id)
      },
      RefusedCall("Session.sendResource", reason + ", of bytes", code, in: situation) { cast in
        try cast.shared[0].sendResource([1], named: label, to: member ?? cast.bob.id)
      },
      RefusedCall("Session.sendResource", reason + ", of a sequence", code, in: situation) { cast in
        let bytes = AsyncStream<[UInt8]> { $0.finish() }
        try cast.shared[0].sendResource(reading: bytes, named: label, to: member ?? cast.bob.id)
      },
    ]
  }

  static let offering: [RefusedCall] =
    send("a label of no bytes", .invalidResourceLabel, named: "")
    + send(
      "a label that is too long", .invalidResourceLabel, named: String(repeating: "n", count: 1_024)
    )
    + send("a stranger", .notConnected, to: Cast.dora)
    + send("a session that was left", .sessionEnded, in: .sharedLeft)
    + send("a file that is not there", .resourceUnreadable, at: "file:///nothing").prefix(1)
    + send("a web page", .unsupportedResource, at: "https://example.org/a").prefix(1)

  private static func accept(
    _ reason: String, _ code: EarshotError.Code, in situation: Situation = .ordinary,
    into path: String = "file:///inbox/", as name: String? = nil, evenIfFull: Bool = false,
    failing failure: StorageError.Code? = nil,
    _ offer: @escaping @Sendable (Cast.Resources) -> ResourceOffer = { $0.open }
  ) -> RefusedCall {
    RefusedCall("ResourceOffer.accept", reason, code, in: situation, exempt: exempt) { cast in
      if let failure { cast.hosts[0].disk.fail(.openFolder, with: failure) }
      guard let url = URL(string: path) else { return }
      try await offer(cast.resources).accept(into: url, as: name, evenIfFull: evenIfFull)
    }
  }

  static let answering: [RefusedCall] = [
    accept("an offer that was declined", .offerEnded) { $0.declined },
    accept("a session that was left", .offerEnded, in: .sharedLeft),
    accept("a folder of the web", .unsupportedResource, into: "https://example.org/"),
    accept("a name that is a path", .invalidFileName, as: "../a"),
    accept("a disk without room", .insufficientStorage),
    accept("a folder that is not there", .folderUnavailable, into: "file:///nowhere"),
    accept("a folder that may not be read", .permissionDenied, failing: .permissionDenied),
    accept("a disk that fails", .storageFailed, failing: .other),
    accept("a slow disk", .cancelled, evenIfFull: true),
  ]

  static let transferring: [RefusedCall] = [
    RefusedCall("ResourceTransfer.completed", "one that waits", .cancelled) { cast in
      try await cast.resources.waiting.completed()
    },
    RefusedCall(
      "ResourceTransfer.completed", "a member that is removed", .notConnected,
      meanwhile: .annRemovesBob
    ) { try await $0.resources.waiting.completed() },
    RefusedCall(
      "ResourceTransfer.completed", "a session that is left", .sessionEnded,
      meanwhile: .annLeavesShared
    ) { try await $0.resources.waiting.completed() },
  ]
}

extension Cast {
  /// Resources between Ann and Bob, as Ann sees them.
  struct Resources: Sendable {
    /// That Bob offers, and Ann has not answered.
    let open: ResourceOffer
    /// That Ann has declined.
    let declined: ResourceOffer
    /// That Ann sends, when Bob allows one more stream.
    let waiting: ResourceTransfer
  }

  /// Has Bob offer two resources, and Ann one; her disk is slow and full.
  static func offerResources(
    _ shared: [Session], _ ann: PeerID, _ bob: PeerID, _ disk: SimulatedStorage
  ) async throws -> Resources {
    disk.makeFolder(at: "/inbox")
    disk.conditions = StorageConditions(capacityBytes: 0, latency: .milliseconds(2))
    var offers: [ResourceOffer] = []
    for label in ["declined", "open"] {
      let transfer = try shared[1].sendResource([1, 2, 3], named: label, to: ann)
      for await offer in shared[0].resources {
        offers.append(offer)
        break
      }
      guard label == "declined" else { break }
      offers[0].decline()
      _ = try? await transfer.completed()
    }
    return Resources(
      open: offers[1], declined: offers[0],
      waiting: try shared[0].sendResource([1], named: "waiting", to: bob))
  }
}
