import EarshotCore
import TestKit
import Testing

@Suite("Send queue")
struct SendQueueTests {
  @Test("The queue does what a list of all that wait would do", arguments: Seed.some(100))
  func model(seed: Seed) {
    var random = seed.generator
    var queue = SendQueue()
    var waiting: [(ticket: SendQueue.Ticket, message: [UInt8])] = []
    var former: [SendQueue.Ticket] = []
    for _ in 0..<300 {
      switch random.below(8) {
      case 0...3:
        let message = random.bytes(Int(random.below(4)))
        waiting.append((queue.add(message), message))
      case 4...5:
        let room = Int(random.below(4))
        let fits = waiting.first.map { $0.message.count <= room } ?? false
        let ticket = queue.serve { message in
          #expect(message == waiting.first?.message)
          return message.count <= room
        }
        #expect(ticket == (fits ? waiting.first?.ticket : nil))
        if fits { former.append(waiting.removeFirst().ticket) }
      case 6:
        guard !waiting.isEmpty else { break }
        let index = Int(random.below(UInt64(waiting.count)))
        let isWithdrawn = queue.withdraw(waiting[index].ticket)
        #expect(isWithdrawn)
        former.append(waiting.remove(at: index).ticket)
      default:
        for ticket in former.suffix(3) {
          let isWithdrawn = queue.withdraw(ticket)
          #expect(!isWithdrawn)
        }
        guard random.below(10) == 0 else { break }
        let removed = queue.removeAll()
        #expect(removed == waiting.map(\.ticket))
        former += waiting.map(\.ticket)
        waiting = []
      }
      #expect(queue.isEmpty == waiting.isEmpty)
    }
  }

  @Test("A message that waits has its turn before smaller ones that came later")
  func order() throws {
    var machine = try Self.machine()
    let isAppended = machine.append([UInt8](repeating: 1, count: 500))
    #expect(isAppended)
    let isLargeAppended = machine.append([UInt8](repeating: 2, count: 5_000))
    #expect(!isLargeAppended)
    let large = machine.enqueue([UInt8](repeating: 2, count: 5_000))
    let isSmallAppended = machine.append([3])
    #expect(!isSmallAppended, "there is room, but another one waits for it")
    let small = machine.enqueue([3])
    #expect(large < small)
    #expect(try Self.served(&machine, afterSending: false) == [])
    #expect(try Self.served(&machine) == [large], "alone it may be larger than the outbox")
    #expect(try Self.served(&machine) == [small])
    let isLastAppended = machine.append([4])
    #expect(isLastAppended)
  }

  @Test("A message that is taken back lets those behind it pass")
  func withdrawing() throws {
    var machine = try Self.machine()
    _ = machine.append([UInt8](repeating: 1, count: 500))
    let large = machine.enqueue([UInt8](repeating: 2, count: 5_000))
    let small = machine.enqueue([3])
    #expect(try Self.served(&machine, afterSending: false) == [])
    let withdrawn = [machine.withdraw(large), machine.withdraw(large)]
    #expect(withdrawn == [true, false])
    #expect(try Self.served(&machine, afterSending: false) == [small])
    #expect(machine.messages.unacknowledgedMessages == 2)
    let last = machine.enqueue([UInt8](repeating: 2, count: 5_000))
    let ended = machine.endQueue()
    #expect(ended == [last])
    #expect(try Self.served(&machine) == [])
  }

  private static func machine() throws -> ReliableChannelMachine {
    var bounds = ReliableChannelMachine.Configuration()
    bounds.outboundBytesMax = 1_000
    var machine = ReliableChannelMachine(bounds)
    try machine.attach(received: 0, grant: ChannelGrant(messageLimit: 1 << 20, streams: 0))
    return machine
  }

  /// Who is served, after everything was sent and acknowledged or without that.
  private static func served(
    _ machine: inout ReliableChannelMachine, afterSending isSending: Bool = true
  ) throws -> [SendQueue.Ticket] {
    if isSending {
      var wire: [UInt8] = []
      let rest = machine.fill(&wire, within: ReliableChannelMachine.Room(bytesMax: 1 << 20))
      #expect(rest == .none)
      try machine.acknowledge(Acknowledgement(received: machine.log.end))
    }
    return machine.serve()
  }
}

extension ReliableChannelMachine {
  fileprivate mutating func append(_ message: [UInt8]) -> Bool { append(message.span) }
}
