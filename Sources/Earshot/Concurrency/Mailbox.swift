import Synchronization

/// What other threads leave for an actor, until it looks.
final class Mailbox<Letter: Sendable>: Sendable {
  private let letters = Mutex<[Letter]>([])

  func add(_ letter: Letter) { letters.withLock { $0.append(letter) } }

  func take() -> [Letter] {
    letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }
}
