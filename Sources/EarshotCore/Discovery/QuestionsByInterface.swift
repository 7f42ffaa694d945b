/// Questions that are asked together: for each interface its own, none of them twice.
struct QuestionsByInterface: Hashable, Sendable {
  /// The questions of one interface, in their order.
  struct List: Hashable, Sendable {
    let interface: UInt32
    fileprivate(set) var questions: [DNSQuestion] = []
  }

  /// One list for each interface, in the order of preference.
  private(set) var lists: [List]

  /// No questions yet.
  init(on interfaces: [UInt32]) { lists = interfaces.map { List(interface: $0) } }

  /// Adds a question on one interface.
  mutating func add(_ question: DNSQuestion, on interface: UInt32) {
    for index in lists.indices
    where lists[index].interface == interface && !lists[index].questions.contains(question) {
      lists[index].questions.append(question)
    }
  }

  /// Puts a question first on every interface, in place of all others about the same name.
  mutating func lead(with question: DNSQuestion) {
    for index in lists.indices {
      lists[index].questions.removeAll { $0.name == question.name }
      lists[index].questions.insert(question, at: 0)
    }
  }
}
