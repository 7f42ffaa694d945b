/// The order in which the sources of one membership send: messages, streams and resources.
///
/// A source is anything with frames to send, known by a number that the caller chooses. Classes go
/// in strict order, except that a class that waits while higher classes send is owed 1/32 of their
/// bytes. It goes first once it is owed anything. Within a class the sources share by weight
/// (start-time fair queueing, with the virtual time of WF2Q+):
///
/// ```
///   next ──▶ class that is owed, else the highest ready one ──▶ least start tag, then first ready
/// charge ──▶ start tag += bytes / weight; virtual time += bytes / total weight of ready sources,
///            at least the least start tag; lower ready classes are owed more, an owed class less
/// ```
///
/// A newcomer begins at the virtual time of its class. A source that returns begins there or at its
/// own start tag, whichever is greater. No later source goes before one that stays ready and is
/// behind the virtual time, so none starves, whatever comes and goes. Let frames have at most *L*
/// bytes, and the ready sources of a class never a total weight above *W*:
///
/// - A source of weight *w* that stays ready is due *w* / total weight of every frame of its class.
///   Over any run of frames it lacks at most *L* (1 + *w* + *w* ln(*W* / *w*)) bytes of that.
/// - A newcomer waits for at most *L* (*W* + *n*) bytes of its class, all of them sent by the *n*
///   sources that were ready before it.
///
/// A pause in which no other source of the class sends counts as ready: if its share is the same,
/// the source keeps its start tag. After any other pause a source loses what it was behind, and
/// keeps what it was ahead.
///
/// Departs from the papers in two points. The least start tag goes next, not the least finish tag:
/// the length of a frame is unknown until it is sent. The virtual time moves only when bytes are
/// sent, not when sources pause: sources that pause together are not forgiven the bytes that they
/// sent.
///
/// What a class is owed changes when bytes are sent, not when sources become idle or ready:
/// pausing neither cancels a debt nor loses a claim. A class that is owed pays with everything
/// that it sends, in its turn or before it. Its debt is less than one frame, so a class that
/// keeps waiting gets its share, and a higher class never waits for more than that and one frame.
///
/// Not a machine with events: `next` and `charge` are on the path of every frame. They allocate
/// nothing and take O(log n) time for n ready sources of the class. The caller sends control frames
/// before it asks.
///
/// - SeeAlso: Goyal, Vin, Cheng, "Start-time Fair Queueing", SIGCOMM 1996; Bennett, Zhang,
///   "Hierarchical Packet Fair Queueing Algorithms", SIGCOMM 1996 (WF2Q+).
package struct StreamScheduler: Hashable, Sendable {
  /// The classes, in the order in which they go.
  package enum Class: Int, CaseIterable, Comparable, Hashable, Sendable {
    case messages, streams, resources

    package static func < (one: Class, other: Class) -> Bool { one.rawValue < other.rawValue }
  }

  /// The share of a source: its class, and its weight among the sources of that class.
  package struct Share: Hashable, Sendable {
    /// The class, which goes before all lower ones.
    package let tier: Class
    /// A source of twice the weight sends twice the bytes; 1 through 64.
    package let weight: Int

    /// A share of a class.
    package init(tier: Class, weight: Int) {
      precondition(1...64 ~= weight, "a weight is 1 through 64, not \(weight)")
      (self.tier, self.weight) = (tier, weight)
    }
  }

  /// The source that goes next.
  package struct Pick: Hashable, Sendable {
    /// The number of the source.
    package let source: UInt64
    /// The class of the source.
    package let tier: Class
    /// Whether no other source of any class is ready, so that this one may fill all room; `false`
    /// if `isOwed`, since a class that goes before its turn has a claim to its share only.
    package let isAlone: Bool
    /// Whether it goes before its turn because its class is owed bytes, so may exceed the mark for
    /// bulk.
    package let isOwed: Bool
  }

  private var accounts: [Account] = []  // Of all known sources, in no order.
  private var indices: [UInt64: Int] = [:]  // Of the accounts, by source.
  private var queues = [Queue](repeating: Queue(), count: Class.allCases.count)
  private var turns: UInt64 = 0  // How often a source became ready.

  /// A scheduler that knows no source.
  package init() {}

  /// Whether no source is ready.
  package var isEmpty: Bool { queues.allSatisfy { $0.heap.isEmpty } }

  /// Whether no source is known.
  package var isUnused: Bool { accounts.isEmpty }

  /// Whether no other source is known.
  package func knowsOnly(_ source: UInt64) -> Bool {
    accounts.count == 1 && accounts[0].source == source
  }

  /// Whether a source takes part.
  package func isReady(_ source: UInt64) -> Bool {
    index(of: source).map { accounts[$0].place != nil } ?? false
  }

  /// Lets a source take part, as one of a class from now on; no effect if it is ready already.
  ///
  /// A source that changes its class while idle begins there as a newcomer; one that changes its
  /// weight returns as after a pause.
  package mutating func setReady(_ source: UInt64, _ share: Share) {
    let index = index(of: source) ?? add(source, share)
    guard accounts[index].place == nil else { return }
    let virtualTime = queues[share.tier.rawValue].virtualTime
    if accounts[index].share.tier != share.tier {
      accounts[index].start = virtualTime
    } else if accounts[index].share != share || accounts[index].idleSince != virtualTime {
      accounts[index].start = max(accounts[index].start, virtualTime)
    }
    (accounts[index].share, accounts[index].turn) = (share, turns)
    turns += 1
    queues[share.tier.rawValue].insert(index, of: &accounts)
  }

  /// Takes a source out until it is ready again; what it was served is remembered.
  package mutating func setIdle(_ source: UInt64) {
    guard let index = index(of: source), let place = accounts[index].place else { return }
    queues[accounts[index].share.tier.rawValue].remove(at: place, of: &accounts)
  }

  /// Forgets everything about a source.
  ///
  /// A scheduler that forgets its last source equals a new one. Until then, a class keeps what it
  /// is owed.
  package mutating func forget(_ source: UInt64) {
    setIdle(source)
    guard let index = indices.removeValue(forKey: source), let last = accounts.popLast() else {
      return
    }
    if index < accounts.count {
      accounts[index] = last
      indices[last.source] = index
      if let place = last.place { queues[last.share.tier.rawValue].heap[place] = index }
    }
    if accounts.isEmpty { self = StreamScheduler() }
  }

  /// The source that goes next.
  ///
  /// - Parameter lowest: The lowest class that may send; a lower one only if it is owed bytes. Of
  ///   two classes that are owed bytes, the higher one goes first.
  /// - Returns: Its pick, or `nil` if no ready source may send.
  package func next(upTo lowest: Class) -> Pick? {
    var ordinary: Int?
    for tier in queues.indices where !queues[tier].heap.isEmpty {
      let isOrdinary = ordinary == nil && tier <= lowest.rawValue
      if queues[tier].owed > 0 { return first(of: tier, isOwed: !isOrdinary) }
      if isOrdinary { ordinary = tier }
    }
    return ordinary.map { first(of: $0, isOwed: false) }
  }

  /// Counts bytes that a source has sent; no effect for an unknown source.
  ///
  /// To be called once a frame, before the source is forgotten.
  package mutating func charge(_ source: UInt64, bytes: Int) {
    precondition(bytes >= 0, "a frame has no \(bytes) bytes")
    guard let index = index(of: source) else { return }
    let tier = accounts[index].share.tier.rawValue
    queues[tier].charge(index, bytes: bytes, of: &accounts)
    if queues[tier].owed > 0 {
      queues[tier].owed -= min(bytes, Self.owedBytesMax) * Self.owedFraction
    }
    let owedMax = Self.owedBytesMax * Self.owedFraction
    for lower in (tier + 1)..<queues.count where !queues[lower].heap.isEmpty {
      queues[lower].owed += min(bytes, owedMax - queues[lower].owed)
    }
  }

  private func first(of tier: Int, isOwed: Bool) -> Pick {
    let account = accounts[queues[tier].heap[0]]
    let isAlone =
      !isOwed && queues.indices.allSatisfy { queues[$0].heap.count == ($0 == tier ? 1 : 0) }
    return Pick(
      source: account.source, tier: account.share.tier, isAlone: isAlone, isOwed: isOwed)
  }

  private mutating func add(_ source: UInt64, _ share: Share) -> Int {
    accounts.append(Account(source: source, share: share))
    indices[source] = accounts.count - 1
    return accounts.count - 1
  }

  /// The source to charge is most often the first of its class, which is found without hashing.
  private func index(of source: UInt64) -> Int? {
    for tier in queues.indices where !queues[tier].heap.isEmpty {
      let first = queues[tier].heap[0]
      if accounts[first].source == source { return first }
    }
    return indices[source]
  }

  private static let owedFraction = 32  // A class is owed one byte of so many of higher classes.
  private static let owedBytesMax = 65_536  // More is neither owed nor paid back.
}

extension StreamScheduler {
  /// What one source was served.
  private struct Account: Hashable {
    let source: UInt64
    var share: Share
    var start: UInt128 = 0  // The start tag: bytes divided by weight, times 2^64.
    var turn: UInt64 = 0
    var place: Int?  // In the heap of its class while ready.
    var idleSince: UInt128 = 0  // The virtual time at its pause, moved on by its own frames.

    static func precedes(_ one: Account, _ other: Account) -> Bool {
      (one.start, one.turn) < (other.start, other.turn)
    }
  }

  /// The ready sources of one class, and the accounts of the class as a whole.
  private struct Queue: Hashable {
    var heap: [Int] = []  // Indices of accounts; each precedes those at 2 i + 1 and 2 i + 2.
    var weight = 0  // Of the sources in the heap, together.
    var virtualTime: UInt128 = 0  // At which newcomers begin, times 2^64.
    var owed = 0  // In 32nds of a byte; negative for a debt.

    mutating func insert(_ index: Int, of accounts: inout [Account]) {
      weight += accounts[index].share.weight
      heap.append(index)
      rise(from: heap.count - 1, of: &accounts)
    }

    mutating func remove(at place: Int, of accounts: inout [Account]) {
      weight -= accounts[heap[place]].share.weight
      accounts[heap[place]].idleSince = virtualTime
      accounts[heap[place]].place = nil
      let last = heap.removeLast()
      guard place < heap.count else { return }
      heap[place] = last
      rise(from: place, of: &accounts)
      if let place = accounts[last].place { sink(from: place, of: &accounts) }
    }

    /// Moves the start tag and the virtual time; a source that is idle by now counts as ready.
    mutating func charge(_ index: Int, bytes: Int, of accounts: inout [Account]) {
      let (former, weight) = (virtualTime, accounts[index].share.weight)
      let scaled = UInt128(bytes) << 64  // No frame is free; 2^63 bytes fit.
      accounts[index].start += scaled / UInt128(weight)
      if let place = accounts[index].place { sink(from: place, of: &accounts) }
      let isReady = accounts[index].place != nil
      let total = isReady ? self.weight : self.weight + weight
      let first = heap.first.map { accounts[$0].start } ?? .max
      virtualTime = max(former + scaled / UInt128(total), min(first, accounts[index].start))
      if !isReady, accounts[index].idleSince == former { accounts[index].idleSince = virtualTime }
    }

    private mutating func rise(from place: Int, of accounts: inout [Account]) {
      let index = heap[place]
      var place = place
      while place > 0 {
        let parent = heap[(place - 1) / 2]
        guard Account.precedes(accounts[index], accounts[parent]) else { break }
        put(parent, at: place, of: &accounts)
        place = (place - 1) / 2
      }
      put(index, at: place, of: &accounts)
    }

    private mutating func sink(from place: Int, of accounts: inout [Account]) {
      let index = heap[place]
      var place = place
      while 2 * place + 1 < heap.count {
        var child = 2 * place + 1
        if child + 1 < heap.count,
          Account.precedes(accounts[heap[child + 1]], accounts[heap[child]])
        {
          child += 1
        }
        guard Account.precedes(accounts[heap[child]], accounts[index]) else { break }
        put(heap[child], at: place, of: &accounts)
        place = child
      }
      put(index, at: place, of: &accounts)
    }

    private mutating func put(_ index: Int, at place: Int, of accounts: inout [Account]) {
      heap[place] = index
      accounts[index].place = place
    }
  }
}
