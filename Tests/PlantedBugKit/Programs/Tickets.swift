/// A server gives each request a ticket of its own, and stores how far it is once in a batch.
struct Tickets: Program {
  private static let batch = 10
  private var next: Int
  private var end: Int
  private var given: [[Int]: Int] = [:]
  private var request = 0
  private var isWaiting = false

  init(_ turn: inout Turn) {
    end = turn.disk["end"]?[0] ?? 0
    // What is left of the batch is never given: it is not known how much of it was.
    next = turn.flaw == .batchReused ? max(0, end - Self.batch) : end
    request = turn.disk["request"]?[0] ?? 0
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    if message[0] == 0 {
      turn.send([1, message[1], ticket(for: [sender, message[1]], &turn)], to: sender)
    } else if isWaiting, message[1] == request {
      isWaiting = false
      turn.note(message[2])
    }
  }

  private mutating func ticket(for request: [Int], _ turn: inout Turn) -> Int {
    if let ticket = given[request] { return ticket }
    if next == end {
      end += Self.batch
      turn.disk["end"] = [end]
    }
    given[request] = next
    next += 1
    return next - 1
  }

  mutating func tick(_ turn: inout Turn) {
    guard turn.id > 0 else { return }
    if !isWaiting, turn.time < 15_000, turn.chance(15) {
      (request, isWaiting) = (request + 1, true)
      turn.disk["request"] = [request]
    }
    if isWaiting, turn.chance(50) { turn.send([0, request], to: 0) }
  }

  static func oracle(_ cluster: Cluster<Tickets>) -> String? {
    let tickets = cluster.notes.map { $0[1] }
    return Set(tickets).count < tickets.count ? "two have the same ticket" : nil
  }
}
