import Earshot
import EarshotCore
import Synchronization

extension Cast {
  /// Makes each kind of call afterwards, and keeps the results.
  ///
  /// - Parameter isAccepting: Whether the examined call accepts Bob's invitation. Another one is
  ///   accepted then.
  /// - Throws: `CancellationError` at the end of the world.
  func encore(isAccepting: Bool) async throws {
    await leaveSituation()
    if isAccepting { await invitation.decline() }
    for (number, step) in steps.enumerated() {
      book.keep("afterwards, \(number) \(step.name)", await outcome(of: step.make))
      try await sleep(.seconds(1))
    }
    for peer in [ann, bob, cy] { await peer.stop() }
  }

  private struct Step: Sendable {
    let name: String
    let make: @Sendable () async throws -> String
  }

  private var steps: [Step] { messageSteps + discoverySteps + sessionSteps + trustSteps }

  private var messageSteps: [Step] {
    [
      Step(name: "send") { [self] in
        let receipt = try await shared[0].send(Array("afterwards".utf8))
        try await receipt.waitForDelivery()
        return "\(receipt.recipients.count)"
      },
      Step(name: "receive") { [self] in
        try await shared[1].send(Array("to you".utf8)).waitForDelivery()
        return "done"
      },
      Step(name: "open a stream") { [self] in
        let stream = try await shared[0].openStream("afterwards", to: cy.id)
        keep(stream)
        try await stream.write(Array("afterwards".utf8))
        try await stream.waitForDelivery()
        return "done"
      },
      Step(name: "send unreliably") { [self] in
        try shared[0].sendUnreliably(Array("at once".utf8))
        return "done"
      },
    ]
  }

  private var discoverySteps: [Step] {
    [
      Step(name: "advertise") { [self] in
        keep(try await ann.advertise("other", info: ["number": "1"]))
        let browser = try await cy.browse("other")
        keep(browser)
        book.watch(browser, as: "Cy, other", of: cy)
        return "done"
      },
      Step(name: "browse") { [self] in
        let browser = try await ann.browse("third")
        keep(browser)
        let advertiser = try await cy.advertise("third")
        keep(advertiser)
        try await advertiser.acceptInvitations(into: cys)
        book.watch(browser, as: "Ann, third", of: ann)
        return "done"
      },
      Step(name: "update") { [self] in
        try await room.update(info: ["color": "blue"])
        return "done"
      },
      Step(name: "rename") { [self] in
        try await ann.rename(to: "Anna")
        return "done"
      },
      Step(name: "count browsers") { [self] in
        var browsers: [Browser] = []
        while let browser = try? await ann.browse("third") {
          browsers.append(browser)
        }
        for browser in browsers { await browser.stop() }
        return "\(browsers.count)"
      },
    ]
  }

  private var sessionSteps: [Step] {
    [
      Step(name: "accept") { [self] in
        guard invitation.ending != nil else {
          try await invitation.accept(into: fresh)
          return "done"
        }
        inviteAnn(to: inviter, Array("again".utf8))
        try await sleep(.seconds(1))
        try await received.withLock { $0 }?.accept(into: fresh)
        return "done"
      },
      Step(name: "be invited") { [self] in
        inviteAnn(to: bobs, Self.welcome)
        return "done"
      },
      Step(name: "invite") { [self] in
        try await ann.invite(cy.id, to: own, within: .seconds(3)).rawValue
      },
      Step(name: "invite Bob") { [self] in
        let session = try await ann.makeSession()
        keep(session)
        return try await ann.invite(
          bob.id, to: session, context: Self.joining, within: .seconds(3)
        ).rawValue
      },
      Step(name: "verify") { [self] in
        let verification = try await shared[0].verify(bob.id)
        let other = compared.last
        bob.addTask("confirm") { await other?.confirm() }
        return await verification.confirm()?.rawValue ?? "nothing"
      },
    ]
  }

  private func inviteAnn(to session: Session, _ context: [UInt8]) {
    bob.addTask("Bob invites") { [bob, id = ann.id, book] in
      let outcome = await outcome {
        try await bob.invite(id, to: session, context: context, within: .seconds(2)).rawValue
      }
      book.keep("the outcome of Bob's invitation, \(context.count)", outcome)
    }
  }

  private var trustSteps: [Step] {
    [
      Step(name: "trust") { [self] in
        try await ann.trust(Self.dora, as: "Dora")
        return "\(store.records().count)"
      },
      Step(name: "distrust") { [self] in
        try await ann.distrust(Self.dora)
        return "\(store.records().count)"
      },
    ]
  }
}
