import ChatExample
import Earshot

/// Somebody who chats: says some lines as soon as a chat begins, and answers questions if told to.
final class User: Sendable {
  let chat: Chat
  /// What is said, one line after the other.
  let lines: [String]
  private let host: any NetworkHost
  private let pace: Duration
  private let state = Watched(State())

  private struct State: Sendable {
    /// How often the user says no before it says yes, or `nil` if it does not answer.
    var refusals: Int?
    var news: [Chat.News] = []
  }

  init(_ name: String, on host: any NetworkHost, pace: Duration, lines: Int) async throws {
    (self.host, self.pace) = (host, pace)
    self.lines = (0..<lines).map { "\(name)'s line \($0)" }
    chat = try await Chat(name, on: host)
    chat.peer.addTask("user") { try await self.follow() }
  }

  /// What the user was told.
  var news: [Chat.News] { state.value.news }
  /// What the other one said.
  var heard: [String] { Self.heard(news) }

  private static func heard(_ news: [Chat.News]) -> [String] {
    news.compactMap { if case .said(let text) = $0 { text } else { nil } }
  }

  /// Answers questions from now on: first some with no, and then all with yes.
  func answerQuestions(refusing refusals: Int) { state.update { $0.refusals = refusals } }

  /// Asks somebody who is or will be nearby, once.
  func askOnce(_ name: String) async throws -> InvitationOutcome {
    for await peers in chat.nearby {
      guard let other = peers.first(where: { $0.name == name }) else { continue }
      return try await chat.ask(other.id, greeting: "How about it?")
    }
    throw CancellationError()
  }

  /// Asks until the answer is yes.
  func ask(_ name: String) async throws -> [InvitationOutcome] {
    var outcomes: [InvitationOutcome] = []
    while outcomes.last != .accepted {
      if !outcomes.isEmpty { try await host.sleep(for: pace) }
      do {
        outcomes.append(try await askOnce(name))
      } catch let error as EarshotError
        where error.code == .suspended || error.code == .unknownPeer
      {
        try await host.sleep(for: .seconds(1))
      }
    }
    return outcomes
  }

  /// Waits until the other one has said so much.
  func hearsAll(_ count: Int) async {
    _ = await state.first { Self.heard($0.news).count == count }
  }

  /// Waits until the chat is over.
  func chatHasEnded() async {
    _ = await state.first { if case .ended? = $0.news.last { true } else { false } }
  }

  private func follow() async throws {
    for await news in chat.news {
      let answer = state.update { state -> Bool? in
        state.news.append(news)
        guard case .asked = news, let refusals = state.refusals else { return nil }
        state.refusals = max(0, refusals - 1)
        return refusals == 0
      }
      if let answer { chat.peer.addTask("answer") { try await self.chat.answer(answer) } }
      if case .began = news { chat.peer.addTask("say") { try await self.sayAll() } }
    }
  }

  private func sayAll() async throws {
    for line in lines {
      try await chat.say(line)
      try await host.sleep(for: pace)
    }
  }
}
