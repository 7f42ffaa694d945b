public import EarshotCore
public import Foundation

/// A peer that somebody trusts, as a ``TrustStore`` keeps it.
public struct TrustRecord: Hashable, Sendable, Codable {
  /// The peer: the hash of its key.
  public let peer: PeerID
  /// What it called itself when it was met last.
  ///
  /// The name belongs to the peers that are kept with it: on first use, no
  /// other key gets in by that name.
  public var name: String
  /// When it was met first, for people: nothing is decided by it.
  ///
  /// A store fills it in.
  public var since: Date?
  /// Whether people have compared a verification code with it.
  public var isVerified: Bool

  private enum CodingKeys: String, CodingKey {
    case peer, since, isVerified
    case name = "displayName"  // As stores have kept it from the beginning.
  }

  /// A record of a peer.
  public init(
    peer: PeerID, name: String, since: Date? = nil, isVerified: Bool = false
  ) {
    (self.peer, self.name) = (peer, name)
    (self.since, self.isVerified) = (since, isVerified)
  }

  /// Whether the record's name is that name, written in whatever way: Unicode's canonical equivalence, and no difference
  /// between capitals and small letters.
  public func isNamed(_ name: String) -> Bool { self.name.lowercased() == name.lowercased() }
}

/// Where a program keeps whom it trusts, from one run to the next.
///
/// Its methods are called where the peer runs, whenever somebody is judged whose key the policy does not decide alone: they
/// should take no longer than reading, or writing, a small file does.
public protocol TrustStore: Sendable {
  /// All that are kept, in an order of the store's own.
  ///
  /// - Throws: ``TrustStoreError`` when they cannot, or must not, be used. Who is not trusted otherwise is refused then.
  func records() throws(TrustStoreError) -> [TrustRecord]

  /// Changes what is kept, as one step: no other caller sees, or changes, what is between.
  ///
  /// - Parameter change: Gets all that are kept, and makes of them what is to be kept from now on.
  /// - Throws: ``TrustStoreError`` when nothing can be kept; what was kept before still is.
  func change(_ change: (inout [TrustRecord]) -> Void) throws(TrustStoreError)
}

extension TrustStore {
  /// Keeps a peer by a name, beside those that are kept; one that is kept already is renamed, and stays as it is otherwise.
  ///
  /// - Throws: What ``change(_:)`` throws.
  public func keep(_ peer: PeerID, as name: String) throws(TrustStoreError) {
    try change { $0.keep(peer, as: name) }
  }

  /// Forgets a peer.
  ///
  /// - Returns: Whether it was kept.
  /// - Throws: What ``change(_:)`` throws.
  @discardableResult
  public func forget(_ peer: PeerID) throws(TrustStoreError) -> Bool {
    var wasKept = false
    try change { records in
      wasKept = records.contains { $0.peer == peer }
      records.removeAll { $0.peer == peer }
    }
    return wasKept
  }
}

extension [TrustRecord] {
  /// Keeps a peer by a name; the rest of its record stays.
  package mutating func keep(_ peer: PeerID, as name: String) {
    if let index = firstIndex(where: { $0.peer == peer }) {
      self[index].name = name
    } else {
      append(TrustRecord(peer: peer, name: name))
    }
  }
}

/// Whom a program trusts, in a file that only its owner can change, as JSON.
///
/// As ``FileIdentityStore``, the file is there as a whole or not at all. Processes may share it: what one of them keeps,
/// the others know at once. A file that has not changed is looked at, and not read again. Beside it, `path.lock` stays
/// behind, which is empty. A symbolic link stays one: the file, and its lock, are where it leads.
public struct FileTrustStore: TrustStore {
  /// How many peers a file may hold.
  public static let maximumCount = 4_096
  /// Where the file is.
  public let path: String
  private let now: @Sendable () -> Date
  private let patience: Duration
  private let cache = TrustFileCache()

  /// The store in a file, which need not be there; the folder must.
  public init(path: String) { self.init(path: path) { Date() } }

  /// The store in a file, by a clock, which waits for others so long.
  package init(
    path: String, waiting patience: Duration = .seconds(10),
    now: @escaping @Sendable () -> Date
  ) {
    (self.path, self.patience, self.now) = (path, patience, now)
  }

  /// How often ``records()`` has read the file.
  package var readCount: Int { cache.readCount }

  /// Reads the file; without one, nobody is kept.
  ///
  /// - Throws: `foreign` when it belongs to another user, even if this process may read it as root; `unprotected` when
  ///   others may change it, `unreadable` when this process may not read it, `damaged` when it holds something else.
  public func records() throws(TrustStoreError) -> [TrustRecord] {
    let (now, last) = (now(), cache.last)
    let contents = try Self.throwing { () throws(ProtectedFileError) in
      try file.read(unless: last?.state)
    }
    switch contents {
    case .nothing: return []
    case .unchanged: return last?.records ?? []
    case .bytes(let bytes, let state):
      let records = try decode(bytes)
      cache.note(records, state, at: now)
      return records
    }
  }

  /// Reads the file, and writes it when something has changed.
  ///
  /// A record without a time, or with one that is not a number, gets the present one. A time before
  /// `Date.distantPast` or after `Date.distantFuture` counts as the nearest of these.
  ///
  /// - Throws: What ``records()`` throws; `busy` when others have been changing the file for ten seconds, for which the
  ///   caller waits; `tooMany` above ``maximumCount``; `unwritable`.
  public func change(_ change: (inout [TrustRecord]) -> Void) throws(TrustStoreError) {
    let outcome = try Self.throwing { () throws(ProtectedFileError) in
      try file.alone(waiting: patience) { () throws(ProtectedFileError) in try changeAlone(change) }
    }
    try outcome.get()
  }

  private func changeAlone(
    _ change: (inout [TrustRecord]) -> Void
  ) throws(ProtectedFileError) -> Result<Void, TrustStoreError> {
    let bytes = try file.read()
    let before: [TrustRecord]
    do throws(TrustStoreError) { before = try bytes.map(decode) ?? [] } catch {
      return .failure(error)
    }
    var records = before
    change(&records)
    guard records != before else { return .success(()) }
    guard records.count <= Self.maximumCount else {
      return .failure(TrustStoreError(.tooMany, "\(path) would hold \(records.count)"))
    }
    for index in records.indices {
      let since = records[index].since.flatMap { $0.timeIntervalSince1970.isNaN ? nil : $0 }
      records[index].since =
        since?.clamped(to: .distantPast ... .distantFuture)
        ?? Date(timeIntervalSince1970: now().timeIntervalSince1970.rounded())
    }
    do { try file.replace(with: Self.bytes(of: records)) } catch let error as ProtectedFileError {
      throw error
    } catch {
      return .failure(TrustStoreError(.unwritable, "\(error)"))
    }
    return .success(())
  }

  private var file: ProtectedFile {
    ProtectedFile(path: path, hiding: false, bytesMax: Self.bytesMax)
  }

  private func decode(_ bytes: [UInt8]) throws(TrustStoreError) -> [TrustRecord] {
    do { return try Self.records(of: bytes) } catch {
      throw TrustStoreError(.damaged, "\(path): \(Self.sentence(of: error))")
    }
  }

  /// The records in the bytes of a file.
  package static func records(of bytes: [UInt8]) throws -> [TrustRecord] {
    let content = try decoder.decode(Content.self, from: Data(bytes))
    guard content.version == Content().version else {
      throw TrustStoreError(.damaged, "version \(content.version)")
    }
    guard content.peers.count <= maximumCount else {
      throw TrustStoreError(.damaged, "\(content.peers.count) peers")
    }
    return content.peers
  }

  /// The bytes of a file with some records.
  package static func bytes(of records: [TrustRecord]) throws -> [UInt8] {
    Array(try encoder.encode(Content(peers: records)))
  }

  private static func sentence(of error: any Error) -> String {
    switch error {
    case let error as TrustStoreError: error.detail
    case DecodingError.dataCorrupted(let context): context.debugDescription
    case DecodingError.keyNotFound(let key, _): "\(key.stringValue) is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      context.debugDescription
    default: "\(error)"
    }
  }

  private static func throwing<Value>(
    _ act: () throws(ProtectedFileError) -> Value
  ) throws(TrustStoreError) -> Value {
    do throws(ProtectedFileError) { return try act() } catch {
      switch error.kind {
      case .busy: throw TrustStoreError(.busy, error.detail)
      case .foreign: throw TrustStoreError(.foreign, error.detail)
      case .unprotected: throw TrustStoreError(.unprotected, error.detail)
      case .unreadable: throw TrustStoreError(.unreadable, error.detail)
      case .unwritable: throw TrustStoreError(.unwritable, error.detail)
      }
    }
  }

  /// What a file holds.
  private struct Content: Codable {
    var version = 1
    var peers: [TrustRecord] = []
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }

  private static let bytesMax = 2_097_152
}

/// Whom a program trusts for as long as the process runs.
public final class MemoryTrustStore: TrustStore {
  private let lock = NSLock()
  nonisolated(unsafe) private var kept: [TrustRecord]

  /// A store that keeps some peers already.
  public init(_ records: [TrustRecord] = []) { kept = records }

  /// All that are kept, in the order in which they came.
  public func records() -> [TrustRecord] { lock.withLock { kept } }

  /// Changes what is kept.
  public func change(_ change: (inout [TrustRecord]) -> Void) {
    lock.withLock { change(&kept) }
  }
}

/// Why a ``TrustStore`` cannot say, or keep, whom a program trusts.
public struct TrustStoreError: Error, Hashable, Sendable {
  /// What is wrong with it.
  public struct Code: Hashable, Sendable {
    fileprivate enum Kind: String {
      case busy, damaged, foreign, tooMany, unprotected, unreadable, unwritable
    }
    fileprivate let kind: Kind

    /// Somebody else has been about to change it for too long, and may still be.
    public static let busy = Code(kind: .busy)
    /// It holds something that is no list of peers.
    public static let damaged = Code(kind: .damaged)
    /// It belongs to another user than the one as whom this process runs.
    public static let foreign = Code(kind: .foreign)
    /// It has no room for one more.
    public static let tooMany = Code(kind: .tooMany)
    /// Others than its owner may change it.
    public static let unprotected = Code(kind: .unprotected)
    /// It cannot be read.
    public static let unreadable = Code(kind: .unreadable)
    /// It cannot be written.
    public static let unwritable = Code(kind: .unwritable)

    /// The code's name, as it is written in logs.
    package var name: String { kind.rawValue }
  }

  /// What is wrong.
  public let code: Code
  fileprivate let detail: String

  /// An error, as stores of programs throw it.
  ///
  /// - Parameters:
  ///   - code: What is wrong.
  ///   - detail: More of it, for a person, such as a path and what the system says.
  public init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }
}

extension TrustStoreError: CustomStringConvertible {
  /// One sentence for a person.
  public var description: String {
    switch code.kind {
    case .busy: "The list of trusted peers is being changed by another program (\(detail))."
    case .damaged: "The list of trusted peers is damaged (\(detail))."
    case .foreign: "The list of trusted peers belongs to another user (\(detail))."
    case .tooMany: "The list of trusted peers is full (\(detail))."
    case .unprotected: "Others than its owner may change the list of trusted peers (\(detail))."
    case .unreadable: "The list of trusted peers cannot be read (\(detail))."
    case .unwritable: "The list of trusted peers cannot be stored (\(detail))."
    }
  }
}
