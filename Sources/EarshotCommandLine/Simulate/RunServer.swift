import EarshotScenario
import Foundation

/// The other end of a ``RunProcess``: runs what it is ordered to, until no more orders can come.
package struct RunServer {
  /// The word of the command line that has a process serve; not for users.
  package static let word = "serve-simulations"

  private let engine: Engine
  private var last: (order: RunMessage.Order, scenario: Scenario)?

  /// A server that runs with an engine.
  package init(_ engine: Engine) { self.engine = engine }

  /// Answers every order that comes through a descriptor, and returns when they end.
  ///
  /// - Parameters:
  ///   - input: Where orders come from.
  ///   - output: Where results go.
  ///   - hangUp: Called on another thread when no more orders can come, also in the middle of a run.
  package mutating func serve(
    from input: Int32, to output: Int32, hangUp: @escaping @Sendable () -> Void
  ) {
    Thread {
      var end = pollfd(fd: input, events: 0, revents: 0)
      while poll(&end, 1, -1) < 0 && errno == EINTR {}
      hangUp()
    }.start()
    var lines = DescriptorLines(input)
    while let line = lines.next(),
      let order = RunMessage.message(RunMessage.Order.self, in: line),
      let result = result(of: order)
    {
      guard RunMessage.line(result).write(to: output) == 0 else { return }
    }
  }

  /// What comes of an order; `nil` for a scenario that the process that orders cannot have read.
  private mutating func result(of order: RunMessage.Order) -> RunResult? {
    if last?.order.file != order.file || last?.order.text != order.text {
      guard var scenario = try? Scenario(json5: order.text, file: order.file) else { return nil }
      scenario.origin.settings = order.settings
      last = (order, scenario)
    }
    return last.map { engine.run(RunOrder(order, of: $0.scenario)) }
  }
}

extension RunOrder {
  /// The order of a message.
  fileprivate init(_ order: RunMessage.Order, of scenario: Scenario) {
    self.init(
      scenario: scenario, file: order.file, text: order.text, seed: order.seed,
      isRepeated: order.isRepeated, form: order.form)
    (policy, isBuggified) = (order.policy, order.isBuggified)
  }
}
