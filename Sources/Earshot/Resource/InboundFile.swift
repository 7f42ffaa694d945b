import EarshotCore
import EarshotNetwork
import Synchronization

/// A file that is being received: a temporary one in its folder, until it is whole and gets its
/// name.
///
/// All calls block, so they belong off the host's executor; they wait for each other.
final class InboundFile: Sendable {
  /// Where the file is to be.
  struct Destination: Sendable {
    /// The path of the folder, as the program gave it.
    let folder: String
    let name: FileName
    let replacing: Bool
  }
  /// Bytes that have arrived, and what they mean.
  struct Part: Sendable {
    let input: [UInt8]
    let steps: [ResourceReceiveMachine.Step]
  }
  /// A place among the steps of several parts.
  struct Position: Sendable {
    var part = 0
    var step = 0
    /// How many bytes of the step are written.
    var bytes = 0
  }

  private struct Writing {
    var hash = PieceHash()
    var end: Int64 = 0  // Of the last bytes that were written.
    var isVerified = false
    var isRemoved = false
  }
  private let folder: any StorageFolder
  private let file: any StorageFile
  private let destination: Destination
  private let temporaryName: String
  private let writing = Mutex(Writing())

  /// Creates the temporary file, and removes those of processes that have died.
  ///
  /// - Parameters:
  ///   - destination: Where the file is to be.
  ///   - bytes: How much room there must be; 0 if that is not asked.
  ///   - number: A random number, for the name of the temporary file.
  ///   - storage: Where that is.
  /// - Throws: The error of the system; `full` if there is less room.
  init(
    to destination: Destination, needing bytes: Int64, number: UInt64, on storage: any Storage
  ) throws(StorageError) {
    let folder = try storage.openFolder(at: destination.folder)
    Self.removeAbandoned(in: folder)
    if bytes > 0, try folder.freeBytes() < bytes {
      throw StorageError(.full, call: "look for \(bytes) free bytes in \(destination.folder)")
    }
    temporaryName = Self.prefix + number.hexadecimalDigits + Self.suffix
    file = try folder.createFile(temporaryName)
    (self.folder, self.destination) = (folder, destination)
  }

  /// Carries out the steps of parts, from a place on.
  ///
  /// - Returns: The place before which the disk is full; `nil` if all is done.
  /// - Throws: `corrupted`, or the error of the system.
  func carryOut(_ parts: [Part], from start: Position) throws(TransferFailure) -> Position? {
    try writing.withLock { writing throws(TransferFailure) in
      var position = start
      for part in parts[start.part...] {
        for step in part.steps[position.step...] {
          if let written = try carryOut(step, of: part.input, after: position.bytes, &writing) {
            position.bytes = written
            return position
          }
          (position.step, position.bytes) = (position.step + 1, 0)
        }
        (position.part, position.step) = (position.part + 1, 0)
      }
      return nil
    }
  }

  /// - Returns: How many bytes of the step are written if the disk is full; else `nil`.
  private func carryOut(
    _ step: ResourceReceiveMachine.Step, of input: [UInt8], after bytes: Int,
    _ writing: inout Writing
  ) throws(TransferFailure) -> Int? {
    switch step {
    case .write(let range, let offset):
      let written = try write(input.span.extracting(range), at: offset, from: bytes)
      guard written == range.count else { return written }
      writing.hash.add(input.span.extracting(range))
      writing.end = offset + Int64(range.count)
    case .zeros(let count, _): writing.hash.add(zeros: count)
    case .check(let digest):
      guard writing.hash.endPiece() == digest else { throw .local(.corrupted) }
    case .finish, .offer, .pause: break
    }
    return nil
  }

  /// - Returns: How many bytes are written, those before included; fewer than all if the disk is
  ///   full.
  private func write(
    _ bytes: Span<UInt8>, at offset: Int64, from start: Int
  ) throws(TransferFailure) -> Int {
    var written = start
    do throws(StorageError) {
      while written < bytes.count {
        written += try file.write(bytes.extracting(written...), at: offset + Int64(written))
      }
    } catch {
      guard error.code == .full else { throw .local(ResourceFailure(error), error) }
    }
    return written
  }

  /// Verifies the whole, and gives the file its name.
  ///
  /// - Returns: The path of the file; `nil` if the disk is full.
  /// - Throws: `corrupted`, `folderGone`, `nameTaken`, or the error of the system.
  func finish(
    _ description: ResourceDescription, byteCount: Int64, digest: [UInt8]
  ) throws(TransferFailure) -> String? {
    try writing.withLock { writing throws(TransferFailure) in
      if !writing.isVerified {
        guard writing.hash.finish() == digest else { throw .local(.corrupted) }
        writing.isVerified = true
      }
      let actualCount: Int64
      do throws(StorageError) {
        if writing.end < byteCount { try file.resize(to: byteCount) }
        actualCount = try file.attributes().byteCount
        try file.set(modified: description.modified, isExecutable: description.isExecutable)
        try file.synchronize()
      } catch {
        if error.code == .full { return nil }
        throw .local(ResourceFailure(error), error)
      }
      guard actualCount == byteCount else { throw .local(.corrupted) }
      guard let name = try takeName(&writing) else { return nil }
      guard folder.isFound(at: destination.folder) else {
        try? folder.remove(name)
        throw .local(.folderGone)
      }
      try? folder.synchronize()
      return Self.path(of: name, in: destination.folder)
    }
  }

  /// - Returns: The name; `nil` if the disk is full.
  private func takeName(_ writing: inout Writing) throws(TransferFailure) -> String? {
    for number in 1...Self.namesMax {
      let name = destination.name.numbered(number)
      do throws(StorageError) {
        try folder.rename(temporaryName, to: name, replacing: destination.replacing)
        writing.isRemoved = true
        return name
      } catch {
        if error.code == .full { return nil }
        guard error.code == .exists, !destination.replacing else {
          throw .local(ResourceFailure(error), error)
        }
      }
    }
    throw .local(.nameTaken)
  }

  /// Removes the temporary file, unless it has its name.
  func remove() {
    writing.withLock { writing in
      guard !writing.isRemoved else { return }
      writing.isRemoved = true
      try? folder.remove(temporaryName)
    }
  }

  private static func path(of name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  private static func removeAbandoned(in folder: any StorageFolder) {
    for name in (try? folder.names(withPrefix: prefix)) ?? [] where isTemporary(name) {
      _ = try? folder.removeAbandoned(name)
    }
  }

  private static func isTemporary(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
    return digits.count == 16 && digits.allSatisfy { "0123456789abcdef".contains($0) }
  }

  private static let prefix = ".earshot-"
  private static let suffix = ".part"
  private static let namesMax = 10_000
}
