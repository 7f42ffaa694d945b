import EarshotCore
import EarshotSimulator

/// A small program of one peer, as a value: what is received and each tick of its clock is a turn, in which it sends,
/// stores and notes.
protocol Program: SendableMetatype {
  /// A program that starts, for the first time or after a crash.
  init(_ turn: inout Turn)

  /// A message has arrived.
  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn)

  /// A tenth of a second has passed.
  mutating func tick(_ turn: inout Turn)
}

/// What a program sees and does in one turn.
struct Turn {
  /// Its own number, and how many peers there are.
  let (id, count): (Int, Int)
  /// The bug that it has.
  let flaw: Flaw?
  /// The time of the world, which decides what the users of the program do, in milliseconds.
  let time: Int
  /// The clock of its host in milliseconds.
  let clock: Int
  /// What it has stored.
  var disk: [String: [Int]]
  var random: RandomStream
  private(set) var sent: [(to: Int, message: [Int])] = []
  private(set) var notes: [[Int]] = []

  init(
    id: Int, of count: Int, _ flaw: Flaw?, time: Int, clock: Int, disk: [String: [Int]],
    _ random: RandomStream
  ) {
    (self.id, self.count, self.flaw) = (id, count, flaw)
    (self.time, self.clock, self.disk, self.random) = (time, clock, disk, random)
  }

  /// The numbers of the other peers.
  var others: [Int] { (0..<count).filter { $0 != id } }

  /// Sends numbers to a peer.
  mutating func send(_ message: [Int], to peer: Int) { sent.append((peer, message)) }

  /// Sends numbers to all other peers.
  mutating func sendAll(_ message: [Int]) { for peer in others { send(message, to: peer) } }

  /// Notes something that the oracle is to know: the peer comes first.
  mutating func note(_ numbers: Int...) { notes.append([id] + numbers) }

  /// Whether something with this chance happens, in percent.
  mutating func chance(_ percent: UInt64) -> Bool { random.below(100) < percent }
}

/// Messages that are sent again each tick until they are acknowledged.
struct Unacknowledged {
  private(set) var messages: [(to: Int, message: [Int])] = []

  var isEmpty: Bool { messages.isEmpty }

  /// Sends a message for the first time.
  mutating func add(_ message: [Int], to peer: Int, _ turn: inout Turn) {
    messages.append((peer, message))
    turn.send(message, to: peer)
  }

  /// Sends all of them again, some ticks after the last time.
  func sendAgain(_ turn: inout Turn) {
    guard turn.time / 100 % 3 == 0 else { return }
    for (peer, message) in messages { turn.send(message, to: peer) }
  }

  /// Forgets those to a peer of which the second number is this one.
  mutating func remove(_ number: Int, to peer: Int) {
    messages.removeAll { $0.to == peer && $0.message[1] == number }
  }
}
