import Foundation

/// Where a program keeps its identity from one run to the next.
public protocol IdentityStore: Sendable {
  /// The identity that is kept, or `nil` when there is none.
  ///
  /// - Throws: ``IdentityError`` when there is one that cannot, or must not, be used.
  func load() throws(IdentityError) -> Identity?

  /// Keeps an identity, unless another one is there by then.
  ///
  /// - Returns: The identity that is kept from now on: this one, or the one that another caller has kept first.
  /// - Throws: ``IdentityError`` when nothing can be kept; whatever was kept before still is.
  func keep(_ identity: Identity) throws(IdentityError) -> Identity
}

extension Identity {
  /// The identity of a store: the one that is there, or a new one, which is there from now on.
  ///
  /// Programs that call this at once, of one store, get the same identity.
  ///
  /// - Throws: ``IdentityError``; nothing is kept then that was not kept before.
  public static func stored(in store: some IdentityStore) throws(IdentityError) -> Identity {
    if let identity = try store.load() { return identity }
    return try store.keep(Identity())
  }
}

/// An identity in a file, as a private key in PEM that no one but the file's owner can read.
///
/// A file is there as a whole or not at all, also after a crash at any moment: it is written beside its place, forced to
/// the disk, and linked into its place. A file that others may read, or that is another user's, is refused, as `ssh`
/// does: whoever has read it is that peer, too. A symbolic link stays one: the file is where it leads.
public struct FileIdentityStore: IdentityStore {
  /// Where the file is.
  public let path: String

  /// The store in a file, which need not be there; the folder must.
  public init(path: String) { self.path = path }

  /// Reads the file.
  ///
  /// - Throws: `foreign` when it belongs to another user, even if this process may read it as root; `unprotected` when
  ///   others may read or change it, `unreadable` when this process may not, `noKey` and `otherKind` as
  ///   ``Identity/init(pem:)``.
  public func load() throws(IdentityError) -> Identity? {
    guard let bytes = try file({ file throws(ProtectedFileError) in try file.read() }) else {
      return nil
    }
    return try Identity(pem: String(decoding: bytes, as: UTF8.self))
  }

  /// Writes the file, unless it is there by then.
  ///
  /// - Throws: `unwritable`, also for a plain identity, and what ``load()`` throws of a file that is there.
  public func keep(_ identity: Identity) throws(IdentityError) -> Identity {
    guard let pem = identity.pem else {
      throw IdentityError(.unwritable, "a plain identity has no key")
    }
    let isNew = try file { file throws(ProtectedFileError) in try file.create(Array(pem.utf8)) }
    if isNew { return identity }
    if let kept = try load() { return kept }
    throw IdentityError(.unwritable, "\(path) comes and goes")
  }

  private func file<Value>(
    _ act: (ProtectedFile) throws(ProtectedFileError) -> Value
  ) throws(IdentityError) -> Value {
    do throws(ProtectedFileError) {
      return try act(ProtectedFile(path: path, hiding: true, bytesMax: 65_536))
    } catch {
      switch error.kind {
      case .foreign: throw IdentityError(.foreign, error.detail)
      case .unprotected: throw IdentityError(.unprotected, error.detail)
      case .unreadable: throw IdentityError(.unreadable, error.detail)
      case .busy, .unwritable: throw IdentityError(.unwritable, error.detail)
      }
    }
  }
}

/// An identity that is kept for as long as the process runs.
public final class MemoryIdentityStore: IdentityStore {
  private let lock = NSLock()
  nonisolated(unsafe) private var identity: Identity?

  /// A store with an identity in it, or with none.
  public init(_ identity: Identity? = nil) { self.identity = identity }

  /// The identity that is kept.
  public func load() -> Identity? { lock.withLock { identity } }

  /// Keeps an identity, unless there is one.
  public func keep(_ identity: Identity) -> Identity {
    lock.withLock {
      let kept = self.identity ?? identity
      self.identity = kept
      return kept
    }
  }
}
