import EarshotCommandLine
import Foundation
import ScreenKit
import Testing

/// What `earshot simulate` writes for other programs, as these read it.
@Suite("Pictures in other programs", .timeLimit(.minutes(30)), .fewAtOnce)
struct PictureTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized

  /// A folder of its own, and what a run of a scenario is written to in it.
  private final class Run {
    let folder = FileManager.default.temporaryDirectory.appending(path: "earshot-\(UUID())")

    convenience init(_ scenario: String, _ option: String, _ words: [String] = []) async throws {
      let file = PictureTests.root.appending(path: "Simulations/\(scenario).json5")
      try await self.init(String(contentsOf: file, encoding: .utf8), option, words, status: 0)
    }

    init(_ text: String, _ option: String, _ words: [String], status: Int32) async throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: "a.json5").path
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let program = try Program(
        running: [Program.path, "simulate", file, "--once", option, path] + words)
      #expect(await program.exitStatus() == status)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "picture.html").path }

    /// Runs another program on the file.
    func lines(of words: [String]) async throws -> [String] {
      let program = try Program(running: words)
      try program.closeInput()
      let status = await program.exitStatus()
      #expect(status == 0, "\(words), whose last lines are \(program.lines.suffix(5))")
      return program.lines
    }
  }

  // MARK: Wireshark

  private func tshark(_ run: Run, _ words: String...) async throws -> [String] {
    let checks = ["ip", "tcp", "udp"].flatMap { ["-o", "\($0).check_checksum:TRUE"] }
    return try await run.lines(of: ["tshark", "-r", run.path] + checks + words)
      .filter { !$0.hasPrefix("Running as user") }
  }

  @Test(
    "Wireshark finds nothing to say about a run without losses",
    .enabled(if: Shell.has("tshark"), "needs tshark"),
    arguments: zip(["first-hello", "crowded-room"], ["0x400000", "0x600000"]))
  func clean(scenario: String, severity: String) async throws {
    // A probe of the tail is a retransmission, and a note, and its answer a warning; the first scenario has none.
    let run = try await Run(scenario, "--pcap")
    // Questions of multicast DNS that are asked again are no retransmissions.
    let complaint = "_ws.malformed || (_ws.expert.severity >= \(severity) && !mdns)"
    let bad = "\(Self.badChecksum) || tcp.analysis.lost_segment"
    let closing = "tcp.connection.fin_active || tcp.connection.fin_passive || tcp.connection.fin"
    let usual = "\(closing) || tcp.options.sack.dsack"
    let found = try await tshark(run, "-Y", "(\(complaint)) && !(\(usual)) || \(bad)")
    #expect(found.isEmpty, "\(found.prefix(5))")
    let protocols = try await tshark(run, "-T", "fields", "-e", "frame.protocols")
    for name in ["raw:ip:tcp", "raw:ip:udp:mdns", "raw:ipv6:udp:mdns"] {
      #expect(protocols.contains { $0.hasPrefix(name) }, "\(name)")
    }
    #expect(protocols.allSatisfy { !$0.contains("malformed") })
  }

  @Test(
    "Wireshark shows losses and faults as comments, whose packets, and entries of the journal",
    .enabled(if: Shell.has("tshark"), "needs tshark"))
  func lossy() async throws {
    let run = try await Run("partition-and-heal", "--pcap")
    let comments = try await tshark(
      run, "-Y", "frame.comment", "-T", "fields", "-e", "frame.interface_name", "-e",
      "frame.comment")
    #expect(comments.contains { $0.contains("fault: partition") })
    #expect(comments.contains { $0.contains("lost to ") && $0.hasSuffix(": partition") })
    let entries = try await tshark(run, "-Y", "systemd_journal")
    #expect(entries.contains { $0.contains("joined") })
    let bad = try await tshark(run, "-Y", "\(Self.badChecksum) || _ws.malformed")
    #expect(bad.isEmpty, "\(bad.prefix(5))")
    let names = try await tshark(run, "-N", "n", "-Y", "tcp")
    #expect(names.contains { !$0.contains("10.0.0.") })
  }

  private static let badChecksum = ["ip", "tcp", "udp"].map { "\($0).checksum.status == \"Bad\"" }
    .joined(separator: " || ")

  // MARK: Perfetto

  @Test(
    "A decoder of Protocol Buffers reads the trace to its end",
    .enabled(if: Shell.has("python3"), "needs python3"))
  func perfetto() async throws {
    let run = try await Run("crash-and-restart", "--perfetto")
    let script = Self.root.appending(path: "Tests/EndToEndTests/read-perfetto.py").path
    let lines = try await run.lines(of: ["python3", script, run.path])
    #expect(lines.contains("unmatched slices 0"))
    #expect(lines.contains("flows without an end 0"))
    for track in ["state", "packets", "bytes on their way"] {
      #expect(lines.contains("track \(track)"))
    }
    for slice in ["crashed", "connected"] { #expect(lines.contains("slice \(slice)")) }
    #expect(lines.contains { $0.hasPrefix("slice crash of ") })
  }

  // MARK: A browser

  private static let browser = ["chromium", "google-chrome", "chromium-browser"].first {
    Shell.has($0)
  }

  /// Has a browser see no network, and ends all of its processes with the first: it would look for players with
  /// mDNS on every interface, and hold the port while it does.
  private static let alone = [
    "unshare", "--map-root-user", "--net", "--fork", "--pid", "--kill-child",
  ]

  /// What a page says in a browser, after its check of itself.
  private func selfTest(_ run: Run, _ flags: [String] = []) async throws -> [String: Any] {
    let words =
      Self.alone + [
        Self.browser ?? "", "--headless", "--no-sandbox", "--disable-gpu",
        "--virtual-time-budget=8000",
        "--user-data-dir=\(run.folder.path)/browser", "--dump-dom", "file://\(run.path)#selftest",
      ]
    let lines = try await run.lines(of: words + flags)
    let line = try #require(lines.first { $0.contains("id=\"selftest\"") })
    let text = try #require(line.firstMatch(of: /id="selftest"[^>]*>(\{.*\})</)?.1)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(object as? [String: Any])
  }

  @Test(
    "A page draws, zooms, filters, searches, and tells causes and bytes",
    .enabled(if: browser != nil, "needs chromium"))
  func page() async throws {
    let run = try await Run("everything-at-once", "--report")
    let report = try await selfTest(run)
    let number = { (name: String) in report[name] as? Double ?? -1 }
    #expect(number("events") > 10_000 && number("hits") > 100)
    #expect(number("zoomed") == 0.25 && report["whole"] as? Bool == true)
    #expect(number("found") > 0 && number("selected") >= 0 && number("chain") > 0)
    #expect(number("bytes") > 60 && number("rows") > 0 && report["hides"] as? Bool == true)
    #expect(number("plots") == 3 && report["theme"] as? String == "dark")
  }

  @Test(
    "A page opens at the first failure, and a click shows its moment in lanes and table",
    .enabled(if: browser != nil, "needs chromium"))
  func failure() async throws {
    let scenario = """
      { name: "long", duration: "60s",
        peers: ["bob", { name: "ann", invite: "bob",
          send: { to: "bob", count: 5000, every: "10ms", start: "2s" } }],
        faults: [{ at: "30s", kind: "reset", between: ["ann", "bob"] }],
        expect: [{ event: "ann sees bob interrupted", never: true }] }
      """
    let run = try await Run(scenario, "--report", ["--seed", "1"], status: 1)
    let report = try await selfTest(run)
    for fact in ["opensAtFailure", "jumps", "isFailure"] {
      #expect(report[fact] as? Bool == true, "\(fact)")
    }
    #expect(report["frames"] as? Int ?? 0 > 1_000)
  }

  @Test(
    "A page has a plot of what was read of streams", .enabled(if: browser != nil, "needs chromium"))
  func streams() async throws {
    let run = try await Run("stream-across-a-broken-link", "--report")
    let report = try await selfTest(run)
    #expect(report["plots"] as? Int == 3 && (report["streamLines"] as? Int ?? 0) == 3)
  }

  @Test(
    "A page has a plot of what was written of files, and why they stood still",
    .enabled(if: browser != nil, "needs chromium"))
  func files() async throws {
    let run = try await Run("file-over-a-broken-link", "--report")
    let report = try await selfTest(run)
    #expect(report["plots"] as? Int == 3 && report["fileLines"] as? Int == 2)
    #expect((report["standstills"] as? Int ?? 0) >= 6)
  }

  @Test(
    "A page of two runs draws both", .enabled(if: browser != nil, "needs chromium"))
  func comparison() async throws {
    let run = try await Run("partition-and-heal", "--report", ["--against", "2"])
    let report = try await selfTest(run)
    #expect(report["plots"] as? Int == 6 && report["parts"] as? Bool == true)
    #expect(report["runOfRow"] as? String == "partition and heal, seed 2")
    let heading = report["heading"] as? String ?? ""
    #expect(heading.hasPrefix("Event ") && heading.hasSuffix(" of partition and heal, seed 2"))
  }

  // MARK: A terminal

  @Test(
    "A scenario is watched at a terminal until Ctrl-C",
    .enabled(if: TerminalProgram.isAvailable, "needs setsid of util-linux"))
  func watching() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "earshot-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.json5")
    let scenario = Self.root.appending(path: "Simulations/first-hello.json5")
    try FileManager.default.copyItem(at: scenario, to: file)
    let program = try TerminalProgram(
      running: [Program.path, "simulate", file.path, "--watch"], columns: 60)
    await program.expect("bob    ~====")
    await program.expect("Ctrl-C ends it")
    try Data("{ name: 'b', duration: '1s', peers: ['zoe'] }".utf8).write(to: file)
    await program.expect("zoe    ")
    #expect(program.screen.unknown.isEmpty)
    program.signal(SIGINT)
    #expect(await program.exitStatus() == 130)
  }
}
