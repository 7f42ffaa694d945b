import Earshot

/// A shopping list that all who are nearby share, each with a copy of its own.
///
/// A change goes to all members at once, and the whole list to each peer that joins. Of two changes of one item the one
/// with the greater revision wins, and of two with the same revision that of the greater author.
public actor ShoppingList {
  /// What a list keeps of an item that was removed.
  public enum Removals: Sendable {
    /// That it was, so that a copy from before cannot bring it back.
    case remembered
    /// Nothing, which is a bug: a peer that was away still has the item, and tells it to all when it is back.
    case forgotten
  }

  /// What is on the list, sorted.
  public var items: [String] { records.values.filter(\.isListed).map(\.item).sorted() }

  private let peer: Peer
  private let session: Session
  private let advertiser: Advertiser
  private let browser: Browser
  private let removals: Removals
  private var records: [String: Record] = [:]

  /// A list that is empty at first, and shared with all who are nearby from now on.
  public init(_ name: String, on host: any NetworkHost, removals: Removals = .remembered)
    async throws
  {
    self.removals = removals
    peer = try await Peer(name, trusting: .anyPeer, on: host)
    session = try await peer.makeSession(.init(patience: .seconds(10)))
    advertiser = try await peer.advertise("shopping")
    browser = try await peer.browse("shopping")
    try await advertiser.acceptInvitations(into: session)
    peer.addTask("share") { await self.share() }
    peer.addTask("look around") { try await self.lookAround() }
  }

  /// Puts an item on the list.
  public func add(_ item: String) async { await change(item, isListed: true) }

  /// Takes an item off the list.
  public func remove(_ item: String) async { await change(item, isListed: false) }

  /// Leaves; the others keep their copies.
  public func stop() async { await peer.stop() }

  // MARK: Changes

  private func change(_ item: String, isListed: Bool) async {
    let record = Record(
      item: item, isListed: isListed, revision: (records[item]?.revision ?? 0) + 1,
      author: "\(peer.id)")
    keep(record)
    await send([record])
  }

  private func keep(_ record: Record) {
    let isForgotten = !record.isListed && removals == .forgotten
    records[record.item] = isForgotten ? nil : record
  }

  private func merge(_ record: Record) {
    if let own = records[record.item], !own.isOlder(than: record) { return }
    keep(record)
  }

  // MARK: Sharing

  private func share() async {
    for await activity in session.activity {
      switch activity {
      case .event(.joined(let member)):
        await send(records.values.sorted { $0.item < $1.item }, to: [member.id])
      case .message(let message):
        for record in Record.records(in: message.bytes) { merge(record) }
      default: break
      }
    }
  }

  private func send(_ records: [Record], to recipients: Recipients = .present) async {
    guard !records.isEmpty else { return }
    // A member that has left gets the whole list when it joins again.
    _ = try? await session.send(Record.bytes(of: records), to: recipients)
  }

  /// Invites everyone nearby who is no member, again and again.
  private func lookAround() async throws {
    while true {
      let members = await session.members.map(\.id)
      for nearby in await browser.peers where !members.contains(nearby.id) {
        _ = try? await peer.invite(nearby.id, to: session, within: .seconds(5))
      }
      try await peer.host.sleep(for: .seconds(1))
    }
  }
}
