import EarshotTLS
import Foundation
import Synchronization
import Testing

@Suite("Identity stores")
struct IdentityStoreTests {
  /// Why a call fails, if it does.
  private func code(_ body: () throws -> Identity?) -> IdentityError.Code? {
    do {
      _ = try body()
      return nil
    } catch { return (error as? IdentityError)?.code }
  }

  @Test("The first call makes an identity, and all later ones have it")
  func stored() throws {
    let folder = try StoreFolder()
    #expect(try folder.identity.load() == nil && folder.names.isEmpty)
    let identity = try Identity.stored(in: folder.identity)
    #expect(try Identity.stored(in: folder.identity) == identity)
    #expect(try folder.identity.load()?.pem == identity.pem)
    let memory = MemoryIdentityStore()
    #expect(memory.load() == nil)
    let other = try Identity.stored(in: memory)
    #expect(try Identity.stored(in: memory) == other && other != identity)
    #expect(MemoryIdentityStore(identity).load() == identity)
  }

  @Test("The file is its owner's alone, and nothing else is left beside it")
  func mode() throws {
    let folder = try StoreFolder()
    _ = try Identity.stored(in: folder.identity)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.identity.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(folder.names == ["identity.pem"])
  }

  @Test("Of many callers at once one makes the identity, and all have it")
  func atOnce() async throws {
    for _ in 0..<10 {
      let folder = try StoreFolder()
      let ids = await withTaskGroup { group in
        for _ in 0..<8 { group.addTask { try? Identity.stored(in: folder.identity).id } }
        return await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(ids.count == 1 && !ids.contains(nil))
      #expect(folder.names == ["identity.pem"])
    }
  }

  @Test("What is there is never replaced")
  func kept() throws {
    let folder = try StoreFolder()
    let first = try folder.identity.keep(Identity())
    #expect(try folder.identity.keep(Identity()) == first)
  }

  @Test(
    "A file that others may read or change is refused", arguments: [0o640, 0o604, 0o620, 0o777])
  func unprotected(mode: Int) throws {
    let folder = try StoreFolder()
    _ = try Identity.stored(in: folder.identity)
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: folder.identity.path)
    #expect(code { try folder.identity.load() } == .unprotected)
    #expect(code { try folder.identity.keep(Identity()) } == .unprotected)
  }

  @Test(
    "A file of another user is refused, though root may read it",
    .enabled(if: geteuid() == 0, "only root can give a file away"))
  func foreign() throws {
    let folder = try StoreFolder()
    let identity = try Identity.stored(in: folder.identity)
    try folder.give(folder.identity.path, to: 54_321)
    #expect(code { try folder.identity.load() } == .foreign)
    #expect(code { try folder.identity.keep(Identity()) } == .foreign)
    #expect(code { try Identity.stored(in: folder.identity) } == .foreign)
    try folder.give(folder.identity.path, to: 0)
    #expect(try folder.identity.load() == identity)
  }

  @Test("A damaged file, another thing in its place, or no place is said, and nothing is lost")
  func damaged() throws {
    let folder = try StoreFolder()
    let identity = try Identity.stored(in: folder.identity)
    let pem = try #require(identity.pem)
    let file = URL(fileURLWithPath: folder.identity.path)
    for text in ["", String(pem.prefix(60)), "not a key"] {
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data(text.utf8))
      try handle.close()
      #expect(code { try Identity.stored(in: folder.identity) } == .noKey)
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    #expect(code { try folder.identity.load() } == .unreadable)
    let nowhere = FileIdentityStore(path: folder.path + "/no/such/folder/identity.pem")
    #expect(code { try Identity.stored(in: nowhere) } == .unwritable)
    let plain = Identity(plain: identity.id)
    #expect(code { try folder.identity.keep(plain) } == .unwritable)
  }

  @Test("Where a symbolic link leads the identity is made, and the link stays")
  func symbolicLink() throws {
    let folder = try StoreFolder()
    let link = FileIdentityStore(path: folder.path + "/link.pem")
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: "identity.pem")
    let identity = try Identity.stored(in: link)
    #expect(try folder.identity.load() == identity)
    #expect(try Identity.stored(in: link) == identity)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "identity.pem")
  }
}
