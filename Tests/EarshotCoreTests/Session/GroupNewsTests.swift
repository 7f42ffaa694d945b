import EarshotCore
import TestKit
import Testing

@Suite("News of a group")
struct GroupNewsTests {
  private static func subjects(_ count: Int) -> [GroupNews.Subject] {
    var random = RandomStream(seed: 1)
    return (0..<count).map {
      GroupNews.Subject(PeerID(random: &random), SessionID(rawValue: UInt64($0)))
    }
  }

  @Test("No more is told than half of what a member takes, and in the end all that is new")
  func bounded() {
    var news = GroupNews()
    let subjects = Self.subjects(5_000)
    let told = subjects.filter { news.mayTell(.joined, of: $0, at: .zero) }
    #expect(told == Array(subjects.prefix(GroupNews.burst)))
    var later: [GroupNews.Subject] = []
    while let next = news.next {
      let early = news.takeDue(at: next - .nanoseconds(1))
      #expect(early == nil)
      later += [news.takeDue(at: next)].compactMap(\.self)
      #expect(later.count <= (next - .zero).components.seconds * 32 + 32)
    }
    #expect(told + later == subjects)
  }

  @Test("Of each subject there is news once, and none of who came and went unheard of")
  func merged() {
    var news = GroupNews()
    let subjects = Self.subjects(GroupNews.burst + 3)
    for subject in subjects.dropLast(3) { _ = news.mayTell(.joined, of: subject, at: .zero) }
    let (known, visitor, guest) = (
      subjects[0], subjects[GroupNews.burst], subjects[GroupNews.burst + 1]
    )
    var isTold = false
    for _ in 0..<100 {
      for (change, subject) in [
        (.updated, known), (.joined, visitor), (.left, visitor),
      ] as [(GroupNews.Change, GroupNews.Subject)] {
        isTold = news.mayTell(change, of: subject, at: .zero) || isTold
      }
    }
    isTold = news.mayTell(.joined, of: guest, at: .zero) || isTold
    isTold = news.mayTell(.left, of: known, at: .zero) || isTold
    #expect(!isTold)
    let late = Instant.zero + .seconds(3_600)
    let told = (0..<3).map { _ in news.takeDue(at: late) }
    #expect(told == [known, guest, nil] && news.next == nil)
  }
}
