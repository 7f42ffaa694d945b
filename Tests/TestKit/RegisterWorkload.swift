public import EarshotSimulator

/// Clients that read and write a register, each with one operation after the other.
public struct RegisterWorkload: Sendable {
  /// What is special about a history.
  public enum Kind: Sendable {
    case timely
    /// A read after all others returns the first value.
    case lastReadIsStale
    /// Responses of one operation in a hundred are lost, and the client goes on under another name.
    case oneInAHundredNeverReturns
  }

  private let operations: Int
  private let clients: Int
  private let seed: UInt64

  /// So many operations of so many clients.
  public init(operations: Int, clients: Int, seed: UInt64) {
    (self.operations, self.clients, self.seed) = (operations, clients, seed)
  }

  private struct Client {
    var invocation: RegisterModel<Int>.OperationHistory.Invocation?
    var operation = RegisterModel<Int>.Operation.read
    var response: RegisterModel<Int>.Response?
  }

  /// A history in which each operation takes place at a random moment between its invocation and its return.
  ///
  /// - Parameter kind: What is special about it.
  /// - Returns: The history.
  public func history(of kind: Kind) -> RegisterModel<Int>.OperationHistory {
    let history = RegisterModel<Int>.OperationHistory()
    var random = RandomStream(seed: seed)
    var (value, begun, events) = (0, 0, 0)
    var present = Array(repeating: Client(), count: clients)
    while begun < operations || present.contains(where: { $0.invocation != nil }) {
      events += 1
      let now = Instant.zero + .milliseconds(events)
      let index = Int(random.below(UInt64(clients)))
      guard let invocation = present[index].invocation else {
        if begun == operations { continue }
        begun += 1
        let operation = RegisterModel<Int>.Operation.random(writing: begun, using: &random)
        present[index].operation = operation
        present[index].invocation = history.invoke(operation, by: "client \(index)", at: now)
        continue
      }
      if let response = present[index].response {
        let isLost = kind == .oneInAHundredNeverReturns && random.below(100) == 0
        if !isLost { history.complete(invocation, returning: response, at: now) }
        present[index] = Client()
      } else if case .write(let new) = present[index].operation {
        value = new
        present[index].response = .written
      } else {
        present[index].response = .value(value)
      }
    }
    if kind == .lastReadIsStale {
      let read = history.invoke(.read, by: "late", at: .zero + .milliseconds(events + 1))
      history.complete(read, returning: .value(0), at: .zero + .milliseconds(events + 2))
    }
    return history
  }
}

extension RegisterModel<Int>.Operation {
  fileprivate static func random(writing value: Int, using random: inout RandomStream) -> Self {
    random.below(4) == 0 ? .write(value) : .read
  }
}
