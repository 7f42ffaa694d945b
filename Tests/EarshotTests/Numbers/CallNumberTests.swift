import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Foundation
import TestKit
import Testing

/// Durations and dates that calls take.
@Suite("Numbers in calls of peers and sessions", .timeLimit(.minutes(30)))
struct CallNumberTests {
  @Test(
    "An invitation with any timeout ends, and is accepted if there is time for that",
    arguments: Extremes.durations)
  func invitation(timeout: Duration) throws {
    try Encounter(seed: 21).hold { _, peers in
      let advertiser = try await peers[0].advertise("timeouts")
      let ticket = try await peers[0].ticket(for: "timeouts")
      let (anns, bobs) = (try await peers[0].makeSession(), try await peers[1].makeSession())
      let accepting = peers[0].start {
        for await invitation in advertiser.invitations {
          #expect(invitation.deadline > .zero)
          _ = try? await invitation.accept(into: anns)
        }
      }
      let outcome = try await peers[1].invite(ticket, to: bobs, within: timeout)
      #expect(outcome == (timeout > .seconds(1) ? .accepted : .timedOut))
      await peers[0].stop()
      _ = await accepting.result
    }
  }

  @Test(
    "A ticket of any lifetime has a text, which is good until its end",
    arguments: Extremes.durations)
  func ticket(lifetime: Duration) throws {
    try Encounter(seed: 22).hold { _, peers in
      let ticket = try await peers[0].ticket(for: "lifetimes", validFor: lifetime)
      #expect(PeerTicket(ticket.description) == ticket)
      let error = await failure { try PeerTicket(parsing: ticket.description) }
      #expect(error?.code == (lifetime > .seconds(1) ? nil : .invalidTicket))
    }
  }

  @Test(
    "A question about trust that may take any time is answered",
    arguments: Extremes.durations)
  func approval(time: Duration) throws {
    let policy = TrustPolicy.approved(within: time) { _ in true }
    try Encounter(seed: 23).hold(trusting: policy) { _, peers in
      let advertiser = try await peers[0].advertise("approvals")
      let ticket = try await peers[0].ticket(for: "approvals")
      let bobs = try await peers[1].makeSession()
      let accepting = peers[0].start {
        for await invitation in advertiser.invitations { _ = try? await invitation.accept() }
      }
      do throws(EarshotError) {
        let outcome = try await peers[1].invite(ticket, to: bobs)
        if time > .seconds(1) { #expect(outcome == .accepted) }
      } catch { #expect(error.code == .untrustedPeer && time < .seconds(1)) }
      await peers[0].stop()
      _ = await accepting.result
    }
  }

  @Test(
    "A session and a peer that are stopped within any time come to their end",
    arguments: Extremes.durations)
  func stop(limit: Duration) throws {
    try Encounter(seed: 24).hold { _, peers in
      let meeting = try await Meeting(of: peers[0])
      let bobs = try await meeting.join(peers[1])
      try await bobs.send([1])
      await bobs.stop(within: limit)
      #expect(await bobs.members.isEmpty)
      let second = try await meeting.join(peers[1])
      try await second.send([2])
      await peers[1].stop(within: limit)
      #expect(await second.members.isEmpty)
      await peers[0].stop(within: limit)
    }
  }

  @Test(
    "Sleep of any duration ends at its time, or when it is cancelled",
    arguments: Extremes.durations, [Ground.simulated, .real])
  func sleep(duration: Duration, ground: Ground) async throws {
    try await ground.meetOnHosts(1) { hosts in
      let host = hosts[0]
      let sleeps: [@Sendable () async throws -> Void] = [
        { try await host.sleep(for: duration) },
        { try await Task.sleep(for: duration, clock: host.clock) },
        { try await host.clock.sleep(until: host.now + duration, tolerance: duration) },
      ]
      for sleep in sleeps {
        let sleeping = Task(executorPreference: host.executor.task) { try await sleep() }
        try await host.sleep(for: .milliseconds(5))
        sleeping.cancel()
        let hasEnded = (try? await sleeping.value) != nil
        if duration > .seconds(1) { #expect(!hasEnded) }
      }
    }
  }

  @Test(
    "Sleep until any instant ends then, or when it is cancelled",
    arguments: Extremes.instants, [Ground.simulated, .real])
  func sleep(instant: Instant, ground: Ground) async throws {
    try await ground.meetOnHosts(1) { hosts in
      let host = hosts[0]
      let sleeping = Task(executorPreference: host.executor.task) {
        try await host.sleep(until: instant)
      }
      try await host.sleep(for: .milliseconds(5))
      sleeping.cancel()
      #expect(((try? await sleeping.value) != nil) == (instant < .distantFuture))
    }
  }

  /// Dates in seconds since 1970, since the description of a date is not for all of them.
  private static let seconds: [Double] = [
    -.infinity, -.greatestFiniteMagnitude, Date.distantPast.timeIntervalSince1970, -1, 0, 1, 1e12,
    Date.distantFuture.timeIntervalSince1970, .greatestFiniteMagnitude, .infinity,
  ]

  @Test("A ticket with any expiry has a text that means the same", arguments: seconds)
  func expiry(seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let peer = Identity().id
    let ticket = try PeerTicket(peer: peer, serviceType: "dates", endpoints: [], expiry: date)
    let isRead = PeerTicket(ticket.description) == ticket
    #expect(isRead)
    for time in Self.seconds.map({ Date(timeIntervalSince1970: $0) }) {
      do throws(EarshotError) {
        let read = try PeerTicket(parsing: ticket.description, at: time)
        let isGood = read == ticket && ticket.expiry.map { $0 > time } == true
        #expect(isGood)
      } catch { #expect(error.code == .invalidTicket && !error.message.isEmpty) }
    }
  }

  @Test("A date that is not a number is refused")
  func noDate() throws {
    let (peer, none) = (Identity().id, Date(timeIntervalSince1970: .nan))
    let error = #expect(throws: EarshotError.self) {
      try PeerTicket(peer: peer, serviceType: "dates", endpoints: [], expiry: none)
    }
    #expect(error?.code == .invalidTicket)
    let ticket = try PeerTicket(
      peer: peer, serviceType: "dates", endpoints: [], expiry: .distantFuture)
    #expect(throws: EarshotError.self) { try PeerTicket(parsing: ticket.description, at: none) }
  }

  @Test(
    "A file of trusted peers keeps records of any date",
    arguments: seconds + [.nan])
  func since(seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let path = FileManager.default.temporaryDirectory.appending(
      component: "since-\(UUID().uuidString)"
    ).path
    defer {
      for path in [path, path + ".lock"] { try? FileManager.default.removeItem(atPath: path) }
    }
    let record = TrustRecord(peer: Identity().id, name: "Ann", since: date)
    try FileTrustStore(path: path).change { $0.append(record) }
    let kept = try FileTrustStore(path: path).records()
    #expect(kept.map(\.peer) == [record.peer])
    let range = Date.distantPast ... .distantFuture
    let isInRange = kept.first?.since.map(range.contains)
    #expect(isInRange == true)
  }
}
