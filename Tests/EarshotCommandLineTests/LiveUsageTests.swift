import EarshotCommandLine
import Testing

@Suite("Wrong usage of the commands that meet peers")
struct LiveUsageTests {
  @Test(
    "A mistake is named, and the code says so",
    arguments: [
      ("advertise", ["hello"], "advertise takes no operands"),
      ("advertise", ["--info", "room"], "--info takes key=value, not \"room\""),
      ("advertise", ["--info", "a=1", "--info=a=2"], "--info has \"a\" twice"),
      ("advertise", ["--info", "_id=1"], "begins with an underscore"),
      ("advertise", ["--name", ""], "The display name is empty"),
      ("advertise", ["--name", " "], "--name is blank; give a name that others can see"),
      ("chat", ["--name", "\u{200B}\u{3000}\u{2800}\u{301}"], "--name is blank"),
      ("advertise", ["--name", "a\nb"], "The display name has a control character"),
      ("browse", ["--service", "Chat!"], "The service type “Chat!” may have only"),
      ("browse", ["--service", "a-very-long-service"], "has 19 characters"),
      ("browse", ["--jsno"], "there is no option \"--jsno\"; did you mean \"--json\"?"),
      ("browse", ["--identity", ""], "--identity needs a file"),
      ("chat", ["--trust", ""], "--trust needs a file"),
      ("chat", ["--pin", "abc"], "--pin takes the 52 characters of an identifier, not \"abc\""),
      (
        "ping", ["Ann", "--trust", "f", "--pin", String(repeating: "a", count: 52)],
        "--trust and --pin exclude each other"
      ),
      (
        "chat", ["--port", "65536"],
        "--port takes a whole number from 1 to 65535, not \"65536\""
      ),
      ("browse", ["--interface", ""], "--interface needs a name, such as lo"),
      ("browse", ["--name", "A", "--name", "B"], "--name is given twice"),
      ("chat", ["Ann"], "chat takes no operands"),
      ("chat", ["--patience", "-1"], "--patience takes seconds from 0 to 3600, not \"-1\""),
      ("chat", ["--patience", "soon"], "not \"soon\""),
      ("ping", [], "ping needs one peer"),
      ("ping", ["Ann", "Bob"], "ping needs one peer"),
      (
        "ping", ["Ann", "--count", "0"], "--count takes a whole number from 1 to 1000000, not \"0\""
      ),
      ("ping", ["Ann", "--size", "7"], "--size takes a whole number from 8"),
      (
        "ping", ["Ann", "--flood", "--interval", "1"],
        "--flood does not wait between messages; leave --interval out"
      ),
      ("ping", ["Ann", "--timeout", "0"], "--timeout takes seconds from 0.1 to 3600, not \"0\""),
      ("ping", ["Ann", "--interval", "nan"], "--interval takes seconds"),
      ("pipe", [], "pipe needs --to PEER, or --listen at the other end"),
      ("pipe", ["Ann"], "pipe takes no operands; give the peer with --to"),
      ("pipe", ["--to", ""], "--to needs a peer, such as --to Ann"),
      (
        "pipe", ["--listen"],
        "--listen cannot ask whether a peer may connect, since standard input is taken"
      ),
      ("pipe", ["--listen"], "give --accept for any peer, --pin ID or --trust FILE"),
      ("pipe", ["--listen", "--accept", "--to", "Ann"], "leave --to out"),
      ("pipe", ["--listen", "--accept", "--at", "10.0.0.1:1"], "leave --at out"),
      ("pipe", ["--to", "Ann", "--accept"], "--accept is for the other end of the pipe"),
      ("pipe", ["--to", "Ann", "--keep"], "--keep is for the other end of the pipe"),
      ("pipe", ["--ticket"], "--ticket needs a value without --listen: --ticket TEXT"),
      ("pipe", ["--to", "Ann", "--ticket", "x"], "leave --to out"),
      ("pipe", ["--listen", "--accept", "--ticket", "x"], "--listen makes its own ticket"),
      ("pipe", ["--ticket", "x"], "--ticket: That is no ticket"),
      ("pipe", ["--to", "Ann", "--at", "10.0.0.1:1"], "--at needs the whole identifier"),
      ("chat", ["--into", ""], "--into needs a folder, such as --into ."),
      ("send", [], "send needs a file, or - for standard input"),
      ("send", [""], "the name of a file is empty"),
      (
        "send", ["-", "-", "--to", "A"], "- is given twice, and standard input can be read once"
      ),
      ("send", ["a", "b", "--as", "c", "--to", "A"], "--as names one file, and there are 2"),
      ("send", ["a", "--as", "", "--to", "A"], "--as takes a name of 1 to 1023 bytes, not of 0"),
      ("send", ["-"], "with - no peer can be chosen; give --to PEER or --ticket TEXT"),
      ("send", ["a", "--json"], "with --json no peer can be chosen"),
      ("send", ["a", "--to", ""], "--to needs a peer, such as --to Ann"),
      (
        "send", ["a", "--to", "Ann", "--ticket", "x"], "--ticket names the receiver; leave --to out"
      ),
      ("send", ["a", "--ticket", "x"], "--ticket: That is no ticket"),
      ("send", ["a", "--at", "10.0.0.1:1"], "--at needs the identifier of the peer: --to ID"),
      ("send", ["a", "--to", "A", "--patience", "-1"], "--patience takes seconds from 0 to 3600"),
      ("receive", ["a"], "receive takes no operands; give the folder with --into"),
      ("receive", ["--into", ""], "--into needs a folder, such as --into ."),
      ("receive", ["--up-to", "1M"], "--up-to limits the files of --accept"),
      ("receive", ["--accept", "--up-to", "1X"], "such as 500K, 20M or 4G, not \"1X\""),
      ("receive", ["--accept", "--up-to", "9000000T"], "not \"9000000T\""),
      ("receive", ["--accept", "--up-to", "-1"], "not \"-1\""),
      ("receive", ["--json"], "with --json no question can be asked; give --accept as well"),
    ] as [(String, [String], String)])
  func usage(command: String, words: [String], reason: String) {
    let shell = Shell()
    #expect(shell.run([command] + words) == .usage)
    #expect(shell.err.contains(reason))
    #expect(shell.err.hasSuffix("\nSee \"earshot help \(command)\".\n"))
    #expect(shell.out.isEmpty)
  }

  @Test("An interface that there is not is answered with those that there are")
  func interfaces() throws {
    let names = InterfaceNames(["lo", "eth0"])
    #expect(throws: Never.self) { try names.check(["eth0", "lo"]) }
    #expect(throws: Never.self) { try names.check([]) }
    #expect(throws: UsageError("interface \"no\\u{7}pe\" not found; available: lo, eth0")) {
      try names.check(["lo", "no\u{7}pe"])
    }
    #expect(throws: UsageError("interface \"lo\" not found; available: none")) {
      try InterfaceNames([]).check(["lo"])
    }
    #expect(throws: Never.self) { try InterfaceNames.ofThisHost.check(["lo"]) }
  }

  @Test("Names with something to see are names", arguments: ["A", "小", "👩‍👩‍👧", "-", " x"])
  func names(name: String) {
    let shell = Shell()
    _ = shell.run(["browse", "--name", name])
    #expect(shell.err.hasPrefix("earshot: there is no network here\n"))
  }

  @Test(
    "Without mistakes the surroundings are asked",
    arguments: ["advertise", "browse", "chat", "receive"])
  func right(command: String) {
    let shell = Shell()
    let words = [command, "--interface", "lo", "--interface=eth0", "--name", "Ann"]
    #expect(shell.run(words) == .usage)
    #expect(shell.err.hasPrefix("earshot: there is no network here\n"))
  }
}
