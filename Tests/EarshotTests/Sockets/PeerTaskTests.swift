import Earshot
import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

/// What lives no longer than a peer.
@Suite("Tasks of a peer", .timeLimit(.minutes(30)))
struct PeerTaskTests {
  @Test("A task runs on its peer's host, and its value can be had", arguments: Ground.allCases)
  func runs(ground: Ground) async throws {
    try await ground.meet { ann, _ in
      let task = ann.addTask("where") {
        ann.host.executor.serial.isIsolatingCurrentContext() == true && Task.name == "where"
      }
      let isThere = try await task.value
      #expect(isThere)
      let failing = ann.addTask { () async throws -> Int in
        throw EarshotError(.cancelled, "As a test wants.")
      }
      #expect(await failure { try await failing.value }?.code == .cancelled)
    }
  }

  @Test("Stopping cancels tasks, after the last events of sessions", arguments: Ground.allCases)
  func stopping(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob)
      let listening = bob.addTask {
        var departures = 0
        for await event in session.events(from: .unread) {
          if case .left = event { departures += 1 }
        }
        return (departures, Task.isCancelled)
      }
      let sleeping = bob.addTask { try await bob.host.sleep(for: .seconds(10_000)) }
      let done = bob.addTask { 1 }
      #expect(try await done.value == 1)
      await bob.stop()
      #expect(try await listening.value == (1, false))
      await #expect(throws: CancellationError.self) { try await sleeping.value }
      let late = bob.addTask { Task.isCancelled }
      let isCancelled = try await late.value
      #expect(isCancelled)
    }
  }

  @Test("A peer of a scope is stopped when the scope is left, however that is")
  func scope() async throws {
    try await Ground.simulated.meet { ann, bob in
      let browser = try await ann.browse("scoped")
      var events = browser.events.makeAsyncIterator()
      for way in 0..<3 {
        let kept = Mutex<Peer?>(nil)
        let scope = bob.start {
          try await withPeer("Cy", trusting: .anyPeer, on: bob.host) { cy in
            kept.withLock { $0 = cy }
            _ = try await cy.advertise("scoped")
            if way == 2 { try await cy.host.sleep(for: .seconds(10_000)) }
            while await ann.discoveryProblem == nil, await browser.peers.isEmpty {
              try await cy.wait(milliseconds: 50)
            }
            if way == 1 { throw EarshotError(.cancelled, "As a test wants.") }
            return way
          }
        }
        guard case .found(let found) = await events.next() else {
          Issue.record("nothing found"); return
        }
        if way == 2 { scope.cancel() }
        switch way {
        case 0: #expect(try await scope.value == 0)
        case 1: #expect(await failure { try await scope.value }?.code == .cancelled)
        default: await #expect(throws: CancellationError.self) { _ = try await scope.value }
        }
        let cy = try #require(kept.withLock { $0 })
        #expect(await failure { try await cy.makeSession() }?.code == .stopped)
        #expect(await events.next() == .lost(found))
      }
    }
  }
}
