import Earshot
import Foundation
import TestKit
import Testing

/// Resources over real sockets, from one folder of this computer to another.
@Suite("Resources over sockets", .timeLimit(.minutes(10)))
struct RealResourceTests {
  /// Two peers, and two folders that are removed.
  private static func meet(
    test: String = #function,
    _ body: @escaping @Sendable (StreamPair, _ source: URL, _ inbox: URL) async throws -> Void
  ) async throws {
    try await Ground.real.meet { ann, bob in
      let place = TemporaryFolder()
      defer { place.remove() }
      let folders = try ["source", "inbox"].map {
        URL(filePath: try place.make($0), directoryHint: .isDirectory)
      }
      let (source, inbox) = (folders[0], folders[1])
      try await body(try await StreamPair(ann, bob, test: "files" + test), source, inbox)
    }
  }

  private static func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
  }

  @Test("Files arrive whole, with their time and executable bit, for their owner alone")
  func whole() async throws {
    try await Self.meet { pair, source, inbox in
      let bytes = Data(Delivery.bytes(5_000_123))
      let file = source.appending(path: "a ü.bin")
      try bytes.write(to: file)
      let time = Date(timeIntervalSince1970: 1_600_000_000)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o4755, .modificationDate: time],
        ofItemAtPath: file.path(percentEncoded: false))
      let bobs = try await pair.guest.sendResource(at: file, to: pair.ann.id)
      for await offer in pair.host.resources {
        #expect(offer.fileName == "a ü.bin" && offer.modified == time)
        let anns = try await offer.accept(into: inbox)
        let outcome = try await anns.completed()
        #expect(outcome.file?.lastPathComponent == "a ü.bin")
        break
      }
      try await bobs.completed()
      let copy = inbox.appending(path: "a ü.bin").path(percentEncoded: false)
      #expect(FileManager.default.contents(atPath: copy) == bytes)
      let attributes = try FileManager.default.attributesOfItem(atPath: copy)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      #expect(attributes[.modificationDate] as? Date == time)
      #expect(try Self.names(inbox) == ["a ü.bin"])
    }
  }

  @Test(
    "Many files of one name at once, a cancelled one and one that is declined keep each other's bytes"
  )
  func many() async throws {
    try await Self.meet { pair, source, inbox in
      let answering = Task.detached {
        var transfers: [ResourceTransfer] = []
        for await offer in pair.host.resources {
          if offer.label == "declined" {
            offer.decline("no")
          } else {
            transfers.append(try await offer.accept(into: inbox))
          }
          if offer.label == "last" { break }
        }
        return transfers
      }
      var sent: [ResourceTransfer] = []
      for number in 0..<12 {
        let file = source.appending(path: "\(number)")
        try Data(Delivery.bytes(300_000 + number, from: number)).write(to: file)
        let label = number == 11 ? "last" : number == 5 ? "declined" : "same"
        sent.append(try await pair.guest.sendResource(at: file, named: label, to: pair.ann.id))
      }
      for (number, transfer) in sent.enumerated() {
        let error = await failure { try await transfer.completed() }
        #expect(error?.code == (number == 5 ? .resourceDeclined : nil))
      }
      for transfer in try await answering.value { try await transfer.completed() }
      let names = try Self.names(inbox)
      #expect(names == (["last", "same"] + (2...10).map { "same (\($0))" }).sorted())
      var sizes: Set<Int> = []
      for name in names { sizes.insert(try Data(contentsOf: inbox.appending(path: name)).count) }
      #expect(sizes == Set((0..<12).filter { $0 != 5 }.map { 300_000 + $0 }))
    }
  }

  @Test("A file that two threads offer at once is one transfer with two results")
  func twice() async throws {
    try await Self.meet { pair, source, inbox in
      let file = source.appending(path: "file")
      try Data(Delivery.bytes(100_000)).write(to: file)
      let sending = (0..<8).map { _ in
        Task.detached { try await pair.guest.sendResource(at: file, to: pair.ann.id) }
      }
      for await offer in pair.host.resources {
        for task in sending { _ = try await task.value }
        try await offer.accept(into: inbox)
        break
      }
      for task in sending { try await task.value.completed() }
      #expect(try Self.names(inbox) == ["file"])
    }
  }

  @Test(
    "A folder that is a link, a pipe, and a folder without permission are refused; links to files are read"
  )
  func special() async throws {
    try await Self.meet { pair, source, inbox in
      let link = source.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: inbox)
      let pipe = source.appending(path: "pipe").path(percentEncoded: false)
      #expect(mkfifo(pipe, 0o600) == 0)
      for path in [pipe, "/dev/zero"] {
        let error = await failure {
          try await pair.guest.sendResource(at: URL(filePath: path), to: pair.ann.id)
        }
        #expect(error?.code == .resourceUnreadable && error?.storageCause?.code == .notFile)
      }
      let file = source.appending(path: "file")
      try Data([1, 2]).write(to: file)
      let alias = source.appending(path: "alias")
      try FileManager.default.createSymbolicLink(at: alias, withDestinationURL: file)
      let bobs = try await pair.guest.sendResource(at: alias, to: pair.ann.id)
      for await offer in pair.host.resources {
        for path in [
          link.path(percentEncoded: false), link.path(percentEncoded: false) + "/", pipe,
        ] {
          let error = await failure { try await offer.accept(into: URL(filePath: path)) }
          #expect(error?.code == .folderUnavailable, "\(path)")
        }
        let error = await failure { try await offer.accept(into: URL(filePath: "/proc/self")) }
        #expect([.permissionDenied, .folderUnavailable, .storageFailed].contains(error?.code))
        // A link of the wanted name is no file that is written to.
        let trap = inbox.appending(path: "alias")
        try FileManager.default.createSymbolicLink(at: trap, withDestinationURL: file)
        try await offer.accept(into: inbox)
        break
      }
      try await bobs.completed()
      #expect(try Self.names(inbox) == ["alias", "alias (2)"])
      #expect(try Data(contentsOf: inbox.appending(path: "alias (2)")) == Data([1, 2]))
    }
  }
}
