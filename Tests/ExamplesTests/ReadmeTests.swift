import Earshot
import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import EarshotSimulator
import Foundation
import Hello
import Testing

@Suite("The README's samples", .timeLimit(.minutes(30)))
struct ReadmeTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private func samples(_ path: String) throws -> [String] {
    try text(path).matches(of: #/```swift\n(.*?)```/#.dotMatchesNewlines()).map { String($0.1) }
  }

  @Test("The README prints a program that is an example, and a package")
  func readme() throws {
    let samples = try samples("README.md")
    try #require(samples.count == 2)
    #expect(try text("Sources/Examples/First/main.swift") == samples[0])
    #expect(samples[1].hasPrefix("// swift-tools-version: "))
  }

  @Test("The article prints all Swift files of Sources/Examples/Hello, and no other Swift")
  func article() throws {
    let article = "Sources/Earshot/Earshot.docc/FirstProgram.md"
    let samples = try text(article).matches(
      of: #/`Hello/(?<path>[^`\n]+)`:\n\n```swift\n(?<text>.*?)```/#.dotMatchesNewlines())
    for sample in samples {
      #expect(try text("Sources/Examples/Hello/\(sample.path)") == String(sample.text))
    }
    #expect(try self.samples(article).count == samples.count)
    let folder = root.appending(path: "Sources/Examples/Hello").path()
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
    #expect(
      samples.map { String($0.path) }.sorted() == files.filter { $0.hasSuffix(".swift") }.sorted())
  }

  @Test("Its words are at most 2,500, and its chapters come in the order that a newcomer needs")
  func order() throws {
    let readme = try text("README.md")
    #expect(readme.split(whereSeparator: \.isWhitespace).count <= 2_500)
    let chapters = readme.matches(of: #/\n## ([^\n]+)/#).map { String($0.1) }
    #expect(
      chapters == [
        "Two commands", "Two terminals", "The first message", "Coming from MultipeerConnectivity",
        "What it promises", "The simulator", "Limits", "Troubleshooting", "Depending on it",
        "Modules", "Licence", "Not there yet", "Reading on",
      ])
    let path = try #require(readme.range(of: "export PATH="))
    let first = try #require(
      readme.range(of: "\nearshot |`earshot chat", options: .regularExpression))
    #expect(path.upperBound < first.lowerBound)
  }

  @Test("Its links lead to files", arguments: ["README.md", "Sources/Examples/README.md"])
  func links(file: String) throws {
    let folder = root.appending(path: file).deletingLastPathComponent()
    let links = try text(file).matches(of: #/\]\(([^)]+)\)/#).map { String($0.1) }
    #expect(links.count > 5)
    for link in links {
      let path = folder.appending(path: link).standardizedFileURL.path()
      #expect(FileManager.default.fileExists(atPath: path), "\(link)")
    }
  }

  @Test("What it names in Earshot, for programs that come from MultipeerConnectivity, is public")
  func migration() throws {
    let rows = try text("README.md").matches(of: #/\n\| `?[^\n|]+ \| ([^\n|]+) \| [^\n]+\|/#)
    let table = rows.map { String($0.1) }.filter { $0.contains("`") }
    let interface = try ["Earshot", "EarshotCore", "EarshotTLS"].map { module in
      try text("Interface/\(module).txt")
    }.joined()
    let names = table.flatMap { row in
      row.matches(of: #/`(?:\w+\.)*(\w+)(?:\([^`]*\))?`/#).map { String($0.1) }
    }
    #expect(names.count > 20)
    for name in Set(names) {
      let isNamed = interface.firstMatch(of: try Regex("\\b\(name)\\b")) != nil
      #expect(isNamed, "\(name)")
    }
  }

  @Test("Its limits are those of the code")
  func limits() throws {
    let readme = try text("README.md")
    let (standard, peer) = (Session.Configuration(), Peer.Configuration())
    func row(_ what: String, _ normal: String, _ most: String) -> String {
      "| \(what) | \(normal) | \(most) |".replacing("|  |", with: "| |")
    }
    func mebibytes(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }
    func grouped(_ number: Int) -> String {
      number < 1_000
        ? "\(number)" : "\(number / 1_000)," + String("\(number + 1_000_000)".suffix(3))
    }
    let gibibyte = "\(FrameBounds.messageBytesMax >> 30) GiB"
    for row in [
      row(
        "peers in a session, the local one included", "\(standard.maximumMemberCount + 1)",
        grouped(FrameBounds.membersMax)),
      row("bytes of a message", mebibytes(standard.maximumMessageBytes), gibibyte),
      row("bytes of an unreliable message", "", grouped(UnreliableMessage.messageBytesMax)),
      row(
        "bytes that wait for one member before `send` suspends",
        mebibytes(standard.sendBufferBytes), gibibyte),
      row(
        "streams that one member may have open", grouped(standard.maximumStreamCount), "65,536"),
      row(
        "patience for a member that is interrupted",
        "\(standard.patience.components.seconds) s", "ten years"),
      row(
        "invitations that may await an answer", "\(peer.maximumOpenInvitations)", "1,024"),
      row("bytes of a peer's name", "", "\(DisplayName.bytesMax)"),
      row("characters of a service name", "", "\(ServiceType.lengthMax)"),
      row("bytes of the advertised info", "", grouped(DiscoveryInfo.bytesMax)),
      row("bytes of a file's label", "", grouped(ResourceFrame.labelBytesMax)),
    ] {
      #expect(readme.contains("\n" + row + "\n"), "\(row)")
    }
  }

  @Test("A host that takes every acceptance for final fails for some seeds, as the article says")
  func hasty() {
    let failing = (UInt64(0)..<200).filter { seed in
      let world = World(seed: seed)
      let (phone, tablet) = (world.makeHost("phone"), world.makeHost("tablet"))
      let listening = phone.addTask("listen") { try await Self.listenHastily(on: phone) }
      tablet.addTask("greet") { try await greet(on: tablet) }
      world.run(for: .milliseconds(Int(seed)))
      let cut = world.cut(phone, to: tablet)
      world.run(for: .seconds(10))
      cut.end()
      world.run(for: .seconds(30))
      defer { world.finish() }
      return (try? listening.value) != "hello"
    }
    #expect(!failing.isEmpty && failing.count < 200)
  }

  private static func listenHastily(on host: any NetworkHost) async throws -> String {
    try await withPeer("Ann", trusting: .anyPeer, on: host) { ann in
      let advertiser = try await ann.advertise("hello")
      for await invitation in advertiser.invitations {
        let session = try await invitation.accept()
        for await message in session.messages {
          return String(decoding: message.bytes, as: UTF8.self)
        }
      }
      throw CancellationError()
    }
  }

  @Test("Its message arrives over sockets")
  func sockets() async throws {
    let hosts = try (0..<2).map { _ in try POSIXHost(.init(interfaces: ["lo"])) }
    async let heard = listen(on: hosts[0])
    try await greet(on: hosts[1])
    #expect(try await heard == "hello")
    for host in hosts { await host.shutDown() }
  }
}
