import Dispatch
import Earshot
import EarshotPOSIX
import Testing

@Suite("Urgent sends", .timeLimit(.minutes(30)))
struct UrgentSendTests {
  /// Messages that were taken somewhere else, for a thread that stands still.
  private struct Arrivals: Sendable {
    private let each = DispatchSemaphore(value: 0)

    func note() { each.signal() }

    /// Holds this thread up until another one has come; `false` if none did.
    func waits() -> Bool { each.wait(timeout: .now() + .seconds(10)) == .success }
  }

  @Test("What a task on the loop sends while nothing waits is on its way when the call returns")
  func sendOnTheLoop() async throws {
    try await Ground.real.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let bobs = try await meeting.join(bob)
      let arrivals = Arrivals()
      let taking = Task { for await _ in bobs.messages { arrivals.note() } }
      let sending = ann.start {
        for number in 0..<100 {
          try await meeting.session.send([UInt8(number)])
          // The loop stands still until the other peer has it.
          guard arrivals.waits() else { return number }
          try await ann.wait(milliseconds: 0)  // Another turn of the loop.
        }
        return 100
      }
      #expect(try await sending.value == 100)
      await meeting.session.stop()
      taking.cancel()
    }
  }

  @Test("What several tasks on the loop send in one turn is on its way at its end, in order")
  func twoOnTheLoop() async throws {
    try await Ground.real.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let bobs = try await meeting.join(bob)
      let senders = (0..<4).map { sender in
        ann.start {
          for number in 0..<200 {
            try await meeting.session.send([UInt8(sender), UInt8(number)])
            if number % 3 == 0 { try await ann.wait(milliseconds: 0) }
          }
        }
      }
      var expected = [UInt8](repeating: 0, count: 4)
      for await message in bobs.messages {
        let (sender, number) = (Int(message.bytes[0]), message.bytes[1])
        #expect(number == expected[sender])
        expected[sender] += 1
        if expected.allSatisfy({ $0 == 200 }) { break }
      }
      for sender in senders { try await sender.value }
    }
  }
}
