import Earshot
import EarshotPOSIX
import Foundation
import Synchronization

/// Ends the program with an error, without a backtrace.
func orExit<Value>(_ body: () async throws -> Value) async -> Value {
  do { return try await body() } catch { print(error) }
  exit(1)
}

// DropExample NAME FOLDER [INTERFACE …]
let words = CommandLine.arguments
guard words.count > 2 else {
  print("usage: DropExample NAME FOLDER [INTERFACE …]")
  exit(2)
}
let folder = URL(filePath: words[2], directoryHint: .isDirectory)
let interfaces = words.count > 3 ? Array(words[3...]) : nil
let host = await orExit { try POSIXHost(.init(interfaces: interfaces)) }
let drop = await orExit { try await Drop(words[1], on: host) }
print("send NAME FILE, yes, no, cancel; files come into \(folder.path)")

/// The offers that await an answer, and the transfers that go on.
final class Desk: Sendable {
  let offers = Mutex<[ResourceOffer]>([])
  let transfers = Mutex<[ResourceTransfer]>([])

  func follow(_ transfer: ResourceTransfer) {
    transfers.withLock { $0.append(transfer) }
    drop.peer.addTask("progress") {
      for await progress in transfer.progress where !progress.isEnded {
        print("\(transfer.label): \(progress.sentence)")
      }
      self.transfers.withLock { $0.removeAll { $0 === transfer } }
      do {
        print("\(transfer.label): whole, \(try await transfer.completed().byteCount) bytes")
      } catch {
        print("\(transfer.label): \(error)")
      }
    }
  }
}
let desk = Desk()

drop.peer.addTask("nearby") {
  for await peers in drop.nearby { print("nearby: \(peers.map(\.name).joined(separator: ", "))") }
}
drop.peer.addTask("offers") {
  for await offer in drop.offers {
    desk.offers.withLock { $0.append(offer) }
    let size = offer.byteCount.map { "\($0) bytes" } ?? "size unknown"
    print("\(await drop.name(of: offer.sender)) offers \(offer.fileName), \(size): yes or no?")
  }
}
while let line = readLine() {
  do {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    switch words.first {
    case "yes", "no":
      guard let offer = desk.offers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { break }
      guard line == "yes" else { offer.decline(); break }
      desk.follow(try await offer.accept(into: folder))
    case "cancel": desk.transfers.withLock { $0 }.forEach { $0.cancel() }
    case "send" where words.count == 3:
      let other = await drop.nearby.first { _ in true }?.first { $0.name == words[1] }
      guard let other else { print("not nearby"); continue }
      desk.follow(try await drop.send(URL(filePath: words[2]), to: other.id))
    default: print("send NAME FILE, yes, no, or cancel")
    }
  } catch { print(error) }
}
await drop.stop()
await host.shutDown()
