import EarshotCommandLine
import EarshotScenario
import Foundation
import Synchronization
import Testing

@Suite("BUGGIFY and settings on the command line")
struct CommandBuggifyTests {
  /// Which seeds an exploration ran with BUGGIFY.
  private static func buggified(_ words: String...) throws -> [UInt64] {
    let folder = try Folder()
    let seen = Mutex<[UInt64]>([])
    let shell = Shell(isColoured: false) { order in
      if order.isBuggified { seen.withLock { $0.append(order.seed) } }
      return .holding
    }
    let file = try folder.file("a.json5")
    #expect(shell.run(["explore", file, "--seeds", "0...15", "--jobs", "1"] + words) == .held)
    return seen.withLock { $0.sorted() }
  }

  @Test("An exploration has it in every second round of policies, in all runs, or in none")
  func turns() throws {
    #expect(try Self.buggified() == [4, 5, 6, 7, 12, 13, 14, 15])
    #expect(try Self.buggified("--policy", "pct") == [1, 3, 5, 7, 9, 11, 13, 15])
    #expect(try Self.buggified("--buggify").count == 16)
    #expect(try Self.buggified("--no-buggify").isEmpty)
    #expect(try Self.buggified("--shard", "1/2") == [5, 7, 13, 15])
  }

  @Test("Both at once are refused")
  func both() throws {
    let (folder, shell) = (try Folder(), Shell())
    let file = try folder.file("a.json5")
    #expect(shell.run("explore", file, "--buggify", "--no-buggify") == .usage)
    #expect(shell.err.contains("either --buggify or --no-buggify, not both"))
    #expect(shell.run("simulate", file, "--watch", "--buggify") == .usage)
  }

  @Test("A failure is named with it, and merged into a command that has it")
  func failure() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5", Self.scenario)
    let shell = Shell(isColoured: false) { order in
      order.isBuggified ? .violating("they meet", "never") : .holding
    }
    let words = ["--seeds", "0...7", "--set", "n=3", "--no-shrink", "--jobs", "1"]
    #expect(shell.run(["explore", file] + words) == .violated)
    #expect(shell.out.contains("✗ two, seed 4, fifo, buggified: they meet: never"))
    let answer = Shell(isColoured: false) { order in
      order.isBuggified ? .violating("they meet", "never") : .holding
    }
    _ = answer.run(["explore", file, "--json"] + words)
    #expect(answer.out.contains("\"buggify\":true,\"settings\":[\"n=3\"]"))
    let merged = Shell()
    _ = merged.run("merge", try folder.file("answer.jsonl", answer.out))
    #expect(
      merged.out.contains("earshot simulate \(file) --seed 4 --policy fifo --set n=3 --buggify\n"))
  }

  @Test(
    "Settings of an exploration are those of its scenarios; a variable that there is not is a mistake"
  )
  func settings() throws {
    let folder = try Folder()
    let peers = Mutex<Set<Int>>([])
    let file = try folder.file("a.json5", Self.scenario)
    let shell = Shell(isColoured: false) { order in
      _ = peers.withLock { $0.insert(order.scenario.peerNames.count) }
      return .holding
    }
    #expect(shell.run("explore", file, "--seeds", "0...1", "--set", "n=3") == .held)
    #expect(peers.withLock { $0 } == [4])
    #expect(shell.run("explore", file, "--seeds", "0...1", "--set", "m=3") == .usage)
  }

  @Test("A run of simulate and of shrink has it when it is asked for")
  func simulate() throws {
    let folder = try Folder()
    let orders = Mutex<[Bool]>([])
    let file = try folder.file("a.json5")
    let shell = Shell(isColoured: false) { order in
      orders.withLock { $0.append(order.isBuggified) }
      return .holding
    }
    _ = shell.run("simulate", file, "--buggify")
    _ = shell.run("simulate", file)
    _ = shell.run("simulate", file, "--seeds", "1...2", "--buggify")
    _ = shell.run("shrink", file, "--buggify")
    #expect(orders.withLock { $0 } == [true, false, true, true, true])
  }

  private static let scenario = """
    { name: "two", duration: "10s", variables: { n: 1 },
      peers: [{ name: "ann", invite: "guest1" }, { name: "guest", count: "$n" }],
      expect: [{ connected: "all", by: "5s" }] }
    """
}
