import EarshotCommandLine
import Testing

@Suite("Wrong usage of simulate")
struct SimulateUsageTests {
  @Test(
    "A mistake is named, nothing is run, and the code says so",
    arguments: [
      ([], "simulate needs a file: earshot simulate Simulations/first-hello.json5"),
      (["-"], "scenarios are read from files, not from standard input"),
      (["a", "--seed", "x"], "\"x\" is not a seed"),
      (["a", "--seed", "-1"], "\"-1\" is not a seed"),
      (["a", "--seed", "18446744073709551616"], "is not a seed"),
      (["a", "--seed", "0..<9"], "use --seeds A...B for several"),
      (["a", "--seeds", "5"], "\"5\" is not a range of seeds; write --seeds 0...999"),
      (["a", "--seeds", "0.."], "with the quotes, since < redirects"),
      (["a", "--seeds", "9..<9"], "there are no seeds in 9..<9"),
      (["a", "--seeds", "0...18446744073709551615"], "is not a range of seeds"),
      (["a", "--seeds", "0..<18446744073709551615"], "a sweep has at most 1000000000000 seeds"),
      (["a", "--seeds", "9...8"], "there are no seeds in 9...8"),
      (["a", "--seeds", "9..<3"], "there are no seeds in 9..<3"),
      (["a", "--seed", "1", "--seeds", "0..<9"], "either --seed or --seeds, not both"),
      (["a", "--once", "--twice"], "either --once or --twice, not both"),
      (["a", "--trace", "t", "--seeds", "0..<9"], "--trace is for one run; name it with --seed"),
      (["a", "b", "--trace", "t"], "--trace is for one run; name one file"),
      (["a", "--trace", "a"], "--trace needs a file of its own to write to"),
      (["a", "--pcap", "p", "--seeds", "0..<9"], "--pcap is for one run; name it with --seed"),
      (["a", "b", "--report", "r"], "--report is for one run; name one file"),
      (["a", "--perfetto", ""], "--perfetto needs a file of its own to write to"),
      (["a", "--pcap", "p", "--perfetto", "p"], "needs a file of its own to write to"),
      (["a", "--against", "3"], "--against is for a report; name its file with --report"),
      (
        ["a", "--report", "r", "--trace", "t", "--against", "t"],
        "--against needs a seed, or the file of another scenario"
      ),
      (["a", "b", "--watch"], "--watch is for one file and one run"),
      (["a", "--watch", "--seeds", "0..<9"], "--watch is for one file and one run"),
      (["a", "--watch", "--json"], "either --watch or --json, not both"),
      (["a", "--watch", "--report", "r"], "either --watch or --report, not both"),
      (["a", "--sedes", "0..<9"], "there is no option \"--sedes\"; did you mean \"--seeds\"?"),
    ] as [([String], String)])
  func usage(words: [String], reason: String) {
    let shell = Shell()
    #expect(shell.run(["simulate"] + words) == .usage)
    #expect(shell.err.hasPrefix("earshot: "))
    #expect(shell.err.contains(reason))
    #expect(shell.err.hasSuffix("\nSee \"earshot help simulate\".\n"))
    #expect(shell.out.isEmpty)
    #expect(shell.runs.isEmpty)
  }

  @Test("A file that is not there is named, with the nearest one that is")
  func missing() throws {
    let folder = try Folder()
    _ = try folder.file("first-hello.json5")
    let shell = Shell()
    #expect(shell.run("simulate", "\(folder.path)/frist-hello.json5") == .usage)
    let nearest = "\(folder.path)/first-hello.json5"
    #expect(shell.err.contains("there is no such file; did you mean \"\(nearest)\"?"))
  }

  @Test("A folder is no scenario")
  func folder() throws {
    let folder = try Folder()
    let shell = Shell()
    #expect(shell.run("simulate", folder.path) == .usage)
    #expect(shell.err == "\(folder.path): this is a folder; name the files in it\n")
  }

  @Test("Every mistake of every file is told before anything is run")
  func mistakes() throws {
    let folder = try Folder()
    let good = try folder.file("good.json5")
    let bad = try folder.file(
      "bad.json5", "{ nmae: \"x\", duration: \"5 parsecs\", peers: [\"a\\u001B\"] }")
    let shell = Shell()
    #expect(shell.run("simulate", good, bad, "\(folder.path)/none.json5") == .usage)
    #expect(shell.err.contains("\(bad):1:"))
    #expect(shell.err.contains("did you mean \"name\"?"))
    #expect(shell.err.contains("duration: expected"))
    #expect(shell.err.contains("none.json5: there is no such file"))
    #expect(!shell.err.contains("\u{1B}"))
    #expect(shell.runs.isEmpty)
  }

  @Test("A file that cannot be read says so")
  func unreadable() {
    let shell = Shell()
    #expect(shell.run("simulate", "/proc/self/mem") == .usage)  // Opens, and refuses to be read.
    #expect(
      shell.err == "/proc/self/mem: this file cannot be read; look at its permissions\n")
  }

  @Test("What is no text is not read as one")
  func noText() throws {
    let folder = try Folder()
    let path = try folder.file("latin.json5", "")
    try [UInt8]([0x7B, 0xFF, 0x7D]).write(to: path)
    let shell = Shell()
    #expect(shell.run("simulate", path) == .usage)
    #expect(shell.err == "\(path): this is not text in UTF-8\n")
  }
}
