import EarshotCore
import EarshotTLS
import Foundation
import Synchronization
import Testing

@Suite("Trust stores")
struct TrustStoreTests {
  private static let stores = ["file", "memory"]
  private let ann = Identity().id
  private let bob = Identity().id

  private func store(_ kind: String, in folder: StoreFolder) -> any TrustStore {
    kind == "file" ? patient(at: folder.trust.path) : MemoryTrustStore()
  }

  /// A store that waits for others on a disk that is slow and busy, too.
  private func patient(at path: String) -> FileTrustStore {
    FileTrustStore(path: path, waiting: .seconds(300)) { Date() }
  }

  /// Why a call fails, if it does.
  private func code(_ body: () throws -> Void) -> TrustStoreError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? TrustStoreError)?.code }
  }

  /// Keeps peers, as many in each store, all stores on threads of their own: tasks would take turns.
  private func keepAtOnce(_ ids: [PeerID], in stores: [any TrustStore]) async {
    let share = ids.count / stores.count
    await withTaskGroup { group in
      for (index, store) in stores.enumerated() {
        group.addTask {
          await withCheckedContinuation { done in
            Thread {
              for id in ids[index * share..<(index + 1) * share] {
                #expect(throws: Never.self) { try store.keep(id, as: id.short) }
              }
              done.resume()
            }.start()
          }
        }
      }
    }
  }

  @Test(
    "What is kept is there until it is forgotten; keeping it again renames it", arguments: stores)
  func keeping(kind: String) throws {
    let folder = try StoreFolder()
    let store = store(kind, in: folder)
    #expect(try store.records().isEmpty)
    try store.keep(ann, as: "Ann")
    try store.change { $0[0].isVerified = true }
    try store.keep(bob, as: "Bob")
    try store.keep(ann, as: "Ann from work")
    let records = try store.records()
    #expect(records.map(\.peer) == [ann, bob] && records.map(\.isVerified) == [true, false])
    #expect(records.map(\.name) == ["Ann from work", "Bob"])
    #expect(try store.forget(ann) && !store.forget(ann))
    #expect(try store.records().map(\.peer) == [bob])
  }

  @Test("A file says when a peer was met first, and survives whoever wrote it")
  func since() throws {
    let folder = try StoreFolder()
    try folder.trust.keep(ann, as: "Ann")
    let first = try #require(try folder.trust.records().first)
    let since = try #require(first.since)
    #expect(abs(since.timeIntervalSinceNow) < 3_600)
    try folder.trust.keep(ann, as: "Annie")
    #expect(try folder.trust.records().first?.since == since)
    #expect(MemoryTrustStore([first]).records() == [first])
  }

  @Test("A name is the same in whatever capitals and in whatever form of Unicode")
  func names() {
    let record = TrustRecord(peer: ann, name: "Zo\u{eb}")
    #expect(record.isNamed("zo\u{eb}") && record.isNamed("ZOE\u{308}"))
    #expect(!record.isNamed("Zoe") && !record.isNamed("Zo\u{eb} "))
  }

  @Test("The file is written by its owner alone, whoever else may have made it larger is refused")
  func protection() throws {
    let folder = try StoreFolder()
    try folder.trust.keep(ann, as: "Ann")
    let path = folder.trust.path
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o600)
    #expect(Set(folder.names) == ["trust.json", "trust.json.lock"])
    chmod(path, 0o644)  // Who reads it learns whom we know, and can change nothing.
    #expect(try folder.trust.records().count == 1)
    chmod(path, 0o620)
    #expect(code { _ = try folder.trust.records() } == .unprotected)
    #expect(code { try folder.trust.keep(bob, as: "Bob") } == .unprotected)
  }

  @Test(
    "A list of another user is refused, though root may read it",
    .enabled(if: geteuid() == 0, "only root can give a file away"))
  func foreign() throws {
    let folder = try StoreFolder()
    try folder.trust.keep(ann, as: "Ann")
    try folder.give(folder.trust.path, to: 54_321)
    #expect(code { _ = try folder.trust.records() } == .foreign)
    #expect(code { try folder.trust.keep(bob, as: "Bob") } == .foreign)
    try folder.give(folder.trust.path, to: 0)
    #expect(try folder.trust.records().map(\.peer) == [ann])
  }

  @Test(
    "What is no list of peers is refused, and stays as it is",
    arguments: [
      "", "{}", "[]", "{\"version\":2,\"peers\":[]}", "{\"version\":1,\"peers\":[{}]}",
      "{\"version\":1,\"peers\":[{\"peer\":\"x\",\"displayName\":\"\",\"isVerified\":true}]}",
    ])
  func damage(text: String) throws {
    let folder = try StoreFolder()
    let path = folder.trust.path
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    chmod(path, 0o600)
    #expect(code { _ = try folder.trust.records() } == .damaged)
    #expect(code { try folder.trust.keep(ann, as: "Ann") } == .damaged)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  /// A clock that tests set.
  private final class Clock: Sendable {
    let time = Mutex(Date().addingTimeInterval(60))

    func store(_ folder: StoreFolder) -> FileTrustStore {
      FileTrustStore(path: folder.trust.path) { self.time.withLock { $0 } }
    }
  }

  @Test("A file that stays as it is is read once, by whatever copy of the store")
  func unchanged() throws {
    let folder = try StoreFolder()
    try folder.trust.keep(ann, as: "Ann")
    let store = Clock().store(folder)
    let copy = store
    for _ in 0..<5 {
      #expect(try store.records().map(\.peer) == [ann])
      #expect(try copy.records().map(\.peer) == [ann])
    }
    #expect(store.readCount == 1)
  }

  @Test("What another one writes, forgets, hides or gives away is seen at once")
  func changed() throws {
    let folder = try StoreFolder()
    let (store, other) = (Clock().store(folder), folder.trust)
    #expect(try store.records().isEmpty)
    try other.keep(ann, as: "Ann")
    #expect(try store.records().map(\.name) == ["Ann"])
    try other.keep(ann, as: "Any")  // Of the same length.
    #expect(try store.records().map(\.name) == ["Any"])
    // Written in place, as no store does, and to the same length.
    let text = try String(contentsOfFile: other.path, encoding: .utf8)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: other.path))
    try handle.write(contentsOf: Data(text.replacing("Any", with: "Amy").utf8))
    try handle.close()
    #expect(try store.records().map(\.name) == ["Amy"])
    #expect(store.readCount == 3)
    chmod(other.path, 0o666)
    #expect(code { _ = try store.records() } == .unprotected)
    chmod(other.path, 0o600)
    #expect(try store.records().map(\.name) == ["Amy"])
    try FileManager.default.removeItem(atPath: other.path)
    #expect(try store.records().isEmpty)
  }

  @Test("What has just been written may be written again within one tick: it is read again")
  func unsettled() throws {
    let folder = try StoreFolder()
    try folder.trust.keep(ann, as: "Ann")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.trust.path)
    let written = try #require(attributes[.modificationDate] as? Date)
    let clock = Clock()
    let store = clock.store(folder)
    for (seconds, reads) in [(-5, 1), (0, 2), (1, 3), (3, 4), (3, 4), (5, 4)] {
      clock.time.withLock { $0 = written.addingTimeInterval(Double(seconds)) }
      #expect(try store.records().map(\.peer) == [ann] && store.readCount == reads)
    }
  }

  @Test("What is no file, too large, or in no folder is a clear error")
  func places() throws {
    let folder = try StoreFolder()
    #expect(
      code { try FileTrustStore(path: folder.path + "/no/trust").keep(ann, as: "A") } == .unwritable
    )
    #expect(code { _ = try FileTrustStore(path: folder.path).records() } == .unreadable)
    let large = [UInt8](repeating: 32, count: 2_097_153)
    try Data(large).write(to: URL(fileURLWithPath: folder.trust.path))
    chmod(folder.trust.path, 0o600)
    #expect(code { _ = try folder.trust.records() } == .unreadable)
  }

  @Test(
    "A symbolic link stays one: what is changed is where it leads, also when others change that",
    arguments: [true, false])
  func symbolicLink(isRelative: Bool) async throws {
    let folder = try StoreFolder()
    let (file, link) = (patient(at: folder.trust.path), patient(at: folder.path + "/a/known"))
    try FileManager.default.createDirectory(
      atPath: folder.path + "/a", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: isRelative ? "../trust.json" : file.path)
    try link.keep(ann, as: "Ann")  // There is no file yet.
    try file.keep(bob, as: "Bob")
    let ids = (0..<32).map { _ in Identity().id }
    await keepAtOnce(ids, in: [file, link])
    #expect(try link.forget(ann))
    let records = try file.records()
    #expect(Set(records.map(\.peer)) == Set(ids + [bob]) && records.count == 33)
    #expect(try link.records() == records)
    let type = try FileManager.default.attributesOfItem(atPath: link.path)[.type]
    #expect(type as? FileAttributeType == .typeSymbolicLink)
    #expect(Set(folder.names) == ["a", "trust.json", "trust.json.lock"])
  }

  @Test("A list that cannot be locked says which file is in the way")
  func lock() throws {
    let folder = try StoreFolder()
    let lock = folder.trust.path + ".lock"
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
    do {
      try folder.trust.keep(ann, as: "Ann")
      Issue.record("it was kept")
    } catch {
      #expect(error.code == .unwritable && error.description.contains(lock))
    }
  }

  /// Has a file's lock, as a process that changes the file does, until it is closed.
  private func holdLock(of store: FileTrustStore) throws -> FileHandle {
    let lock = open(store.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
    return FileHandle(fileDescriptor: lock, closeOnDealloc: true)
  }

  @Test("A list that somebody changes for ever is busy for the others, who see what it was")
  func busy() throws {
    let folder = try StoreFolder()
    let store = FileTrustStore(path: folder.trust.path, waiting: .milliseconds(50)) { Date() }
    try store.keep(ann, as: "Ann")
    let holder = try holdLock(of: store)
    #expect(code { try store.keep(bob, as: "Bob") } == .busy)
    #expect(code { try store.forget(ann) } == .busy)
    #expect(try store.records().map(\.peer) == [ann])
    try holder.close()
    try store.keep(bob, as: "Bob")
    #expect(try store.records().map(\.peer) == [ann, bob])
  }

  @Test("4,096 peers fit, and one more changes nothing")
  func room() throws {
    let folder = try StoreFolder()
    try folder.trust.change { records in
      var random = RandomStream(seed: 1)
      records = (0..<4_096).map { TrustRecord(peer: PeerID(random: &random), name: "\($0)") }
    }
    #expect(code { try folder.trust.keep(ann, as: "Ann") } == .tooMany)
    #expect(try folder.trust.records().count == 4_096)
    try folder.trust.forget(try #require(try folder.trust.records().first).peer)
    #expect(try folder.trust.records().count == 4_095)
  }

  @Test("Of many callers at once none loses what another one keeps", arguments: stores)
  func atOnce(kind: String) async throws {
    let folder = try StoreFolder()
    let store = store(kind, in: folder)
    let ids = (0..<48).map { _ in Identity().id }
    await keepAtOnce(ids, in: Array(repeating: store, count: 8))
    #expect(Set(try store.records().map(\.peer)) == Set(ids))
  }

  @Test("A process that dies while it writes leaves what was kept, and nobody waits for it")
  func crash() throws {
    let folder = try StoreFolder()
    try folder.trust.keep(ann, as: "Ann")
    // What is there when it dies between the draft and its new name, with the lock that the system takes back.
    try "{\"peers\":".write(
      toFile: folder.trust.path + ".draft", atomically: false, encoding: .utf8)
    try folder.trust.keep(bob, as: "Bob")
    #expect(try folder.trust.records().map(\.peer) == [ann, bob])
  }
}
