import EarshotCommandLine
import Foundation
import Testing

@Suite("Completions and the manual", .timeLimit(.minutes(30)))
struct CompletionTests {
  private static let commands = EarshotTool.commands
  private static let names = commands.map(\.name)

  private func printed(_ words: String...) -> String {
    let shell = Shell()
    #expect(shell.run(words) == .held)
    #expect(shell.err.isEmpty)
    return shell.out
  }

  /// What a program of the system prints, when it ends well.
  private func output(_ words: [String], sourceLocation: SourceLocation = #_sourceLocation) throws
    -> String
  {
    let pipe = Pipe()
    let program = try ChildProcess(
      words,
      environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": "/"],
      output: pipe.fileHandleForWriting, errors: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(program.wait().status == 0, "\(text)", sourceLocation: sourceLocation)
    return text
  }

  // MARK: What is in them

  @Test("Every command and each of its options is in all of them", arguments: commands)
  func complete(command: CommandPlan) throws {
    let (bash, zsh) = (printed("completions", "bash"), printed("completions", "zsh"))
    let (fish, page) = (printed("completions", "fish"), printed("man"))
    let quoted = command.summary.replacing("'", with: "'\\''")
    #expect(zsh.contains("    '\(command.name):\(quoted)'\n"))
    let options = command.allOptions
    #expect(options.last?.name == "--help")
    let names = options.map(\.name).joined(separator: " ")
    #expect(bash.contains("\n    \(command.name)) options=\"\(names)\""))
    let arguments = try #require(zsh.section(from: "    \(command.name))\n", to: "      ;;"))
    let section = try #require(page.section(from: ".Ss \(command.name)\n", to: ".El\n"))
    for option in options {
      let word = option.name.dropFirst(2)
      #expect(arguments.contains("\(option.name)\(option.value == nil ? "[" : "=[")"))
      #expect(fish.contains(" '__earshot_command \(command.name)' -l \(word) "))
      let optional = option.isValueOptional ? " Op" : ""
      let value = option.value.map { "\(optional) Ar \($0)" } ?? ""
      #expect(section.contains("\n.It Fl -\(word)\(value)\n"))
      #expect(bash.contains("\"\(command.name) \(option.name)\") ") == (option.value != nil))
    }
  }

  @Test("Values of a closed set, and the topics of help, are offered by all shells")
  func closedSets() {
    let (bash, zsh) = (printed("completions", "bash"), printed("completions", "zsh"))
    let fish = printed("completions", "fish")
    for command in Self.commands {
      for option in command.allOptions {
        if option.name == "--policy" { #expect(option.value?.hasPrefix("POLICY") == true) }
        let words =
          option.value?.replacing("POLICY", with: "fifo|random|pct|urw").split(separator: "|")
          .map(String.init) ?? []
        guard words.count > 1, words.allSatisfy({ $0 == $0.lowercased() }) else { continue }
        let list = words.joined(separator: " ")
        let offer = "mapfile -t COMPREPLY < <(compgen -W \"\(list)\""
        #expect(bash.contains("\"\(command.name) \(option.name)\") \(offer)"))
        #expect(zsh.contains("]:\(option.value ?? ""):(\(list))'"))
        let condition = "'__earshot_command \(command.name)'"
        #expect(fish.contains("\(condition) -l \(option.name.dropFirst(2)) -x -a '\(list)'"))
      }
    }
    let topics = (Self.names + ["scenario"]).joined(separator: " ")
    #expect(bash.contains("words=\"\(topics)\""))
    #expect(zsh.contains(":(\(topics))'"))
    #expect(fish.contains("'__earshot_command help' -a '\(topics)'"))
  }

  @Test("What may be repeated, takes a file, or an interface, is completed as such")
  func sources() {
    let (bash, zsh) = (printed("completions", "bash"), printed("completions", "zsh"))
    let fish = printed("completions", "fish")
    #expect(bash.contains("\"simulate --trace\") _earshot_files; return ;;"))
    #expect(zsh.contains(":FILE:_files'"))
    #expect(fish.contains("-n '__earshot_command simulate' -l trace -r -F -d"))
    #expect(bash.contains("\"simulate --against\") "))
    #expect(bash.contains("\"browse --interface\") mapfile"))
    #expect(zsh.contains("'*--interface=[") && zsh.contains(":IF:_net_interfaces'"))
    #expect(!zsh.contains("'*--seed"))
    // A value that may be left out.
    #expect(zsh.contains("'--ticket=[") && zsh.contains("]::TEXT:( )'"))
    #expect(bash.contains("\"pipe --ticket\") if [[ \"$current\" != -* ]]; then :; return; fi ;;"))
    #expect(fish.contains("-n '__earshot_command pipe' -l ticket -d"))
  }

  @Test(
    "A shell that there is not, or none, or a word too many, is wrong usage",
    arguments: [
      (["completions"], "completions are for one shell: bash, zsh or fish"),
      (["completions", "bash", "zsh"], "completions are for one shell: bash, zsh or fish"),
      (["completions", "tcsh"], "there are no completions for \"tcsh\"; the shells are bash, zsh"),
      (["completions", "--shell"], "there is no option \"--shell\"; did you mean \"--help\"?"),
      (["man", "earshot"], "man takes no operands"),
    ])
  func usage(words: [String], reason: String) {
    let shell = Shell()
    #expect(shell.run(words) == .usage)
    #expect(shell.err.hasPrefix("earshot: \(reason)"))
    #expect(shell.err.hasSuffix("See \"earshot help \(words[0])\".\n"))
    #expect(shell.out.isEmpty)
  }

  // MARK: What shells make of them

  /// What bash offers behind these words.
  private func bash(_ words: [String], in folder: Folder) throws -> [String] {
    let script = try folder.file("earshot.bash", printed("completions", "bash"))
    let program = """
      cd '\(folder.path)' && source '\(script)' && complete -p earshot >/dev/null || exit 1
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _earshot; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let text = try output(["bash", "-uc", program, "bash"] + words)
    return text.split(separator: "\n").map(String.init).sorted()
  }

  @Test("Bash offers the options of a command, and nothing else", arguments: commands)
  func bashOptions(command: CommandPlan) throws {
    let offered = try bash(["earshot", command.name, "--"], in: try Folder())
    #expect(offered == command.allOptions.map(\.name).sorted())
  }

  @Test("Bash offers commands, words, interfaces and scenarios where they are expected")
  func bashWords() throws {
    let folder = try Folder()
    for name in ["a room.json5", "b.json5", "notes.txt"] { _ = try folder.file(name) }
    #expect(try bash(["earshot", "si"], in: folder) == ["simulate"])
    #expect(try bash(["earshot", "--v"], in: folder) == ["--version"])
    #expect(try bash(["earshot", "help", ""], in: folder) == (Self.names + ["scenario"]).sorted())
    #expect(try bash(["earshot", "completions", ""], in: folder) == ["bash", "fish", "zsh"])
    #expect(try bash(["earshot", "simulate", ""], in: folder) == ["a room.json5", "b.json5"])
    #expect(try bash(["earshot", "simulate", "--trace", "n"], in: folder) == ["notes.txt"])
    #expect(try bash(["earshot", "simulate", "--trace", "=", "n"], in: folder) == ["notes.txt"])
    #expect(try bash(["earshot", "browse", "--interface", "l"], in: folder).contains("lo"))
    #expect(try bash(["earshot", "browse", "--interface", "="], in: folder).contains("lo"))
    #expect(try bash(["earshot", "simulate", "--seed", ""], in: folder).isEmpty)
    #expect(try bash(["earshot", "nonsense", ""], in: folder).isEmpty)
    #expect(try bash(["earshot", "pipe", "--ticket", "--ke"], in: folder) == ["--keep"])
    #expect(try bash(["earshot", "pipe", "--ticket", ""], in: folder).isEmpty)
  }

  private static func has(_ program: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }

  /// What fish offers behind a command line.
  private func fish(_ line: String, in folder: Folder) throws -> [String] {
    let script = try folder.file("earshot.fish", printed("completions", "fish"))
    let program = "cd '\(folder.path)'; source '\(script)'; complete -C '\(line)'"
    let text = try output(["fish", "--no-config", "-c", program])
    return text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }.sorted()
  }

  @Test(
    "Fish offers the options of a command, and nothing else",
    .enabled(if: has("fish"), "needs fish"),
    arguments: commands)
  func fishOptions(command: CommandPlan) throws {
    let offered = try fish("earshot \(command.name) --", in: try Folder())
    let expected = command.allOptions.map { $0.value == nil ? $0.name : "\($0.name)=" }
    #expect(
      Set(offered.map { $0.filter { $0 != "=" } }) == Set(expected.map { $0.filter { $0 != "=" } }))
  }

  @Test(
    "Fish offers commands, words, interfaces and scenarios where they are expected",
    .enabled(if: has("fish"), "needs fish"))
  func fishWords() throws {
    let folder = try Folder()
    for name in ["b.json5", "notes.txt"] { _ = try folder.file(name) }
    #expect(try fish("earshot si", in: folder) == ["simulate"])
    #expect(try fish("earshot help ", in: folder) == (Self.names + ["scenario"]).sorted())
    #expect(try fish("earshot completions ", in: folder) == ["bash", "fish", "zsh"])
    #expect(try fish("earshot browse --interface l", in: folder).contains("lo"))
    #expect(try fish("earshot simulate b", in: folder) == ["b.json5"])
    #expect(try fish("earshot simulate --trace n", in: folder) == ["notes.txt"])
    #expect(try fish("earshot browse ", in: folder).isEmpty)
  }

  @Test("Zsh takes the script, sourced or from fpath", .enabled(if: has("zsh"), "needs zsh"))
  func zsh() throws {
    let folder = try Folder()
    let script = try folder.file("_earshot", printed("completions", "zsh"))
    _ = try output(["zsh", "-n", script])
    let program = "autoload -U compinit && compinit -u -D && print -- $_comps[earshot]"
    #expect(
      try output(["zsh", "-fc", "fpath=('\(folder.path)' $fpath); \(program)"]) == "_earshot\n")
    let sourced = "autoload -U compinit && compinit -u -D && source '\(script)'"
    #expect(try output(["zsh", "-fc", "\(sourced) && print -- $_comps[earshot]"]) == "_earshot\n")
  }

  @Test(
    "Zsh completes what is typed", .enabled(if: has("zsh"), "needs zsh"),
    arguments: [
      ("earshot simu", "earshot simulate "), ("earshot simulate --see", "earshot simulate --seed"),
      ("earshot help comp", "earshot help completions "),
      ("earshot completions f", "earshot completions fish "),
      ("earshot simulate b", "earshot simulate b.json5 "),
      ("earshot chat --pat", "earshot chat --patience="),
      ("earshot pipe --ticket --ke", "earshot pipe --ticket --keep "),
      ("earshot pipe --ticket T --ke", "earshot pipe --ticket T --keep "),
      ("earshot ping --cou", "earshot ping --count="),
      ("earshot ping Ann --cou", "earshot ping Ann --count="),
    ])
  func zshWords(typed: String, completed: String) throws {
    let folder = try Folder()
    let script = try folder.file("_earshot", printed("completions", "zsh"))
    for name in ["b.json5", "bnotes.txt"] { _ = try folder.file(name) }
    // A shell within a shell, since completing needs a terminal.
    let program = """
      zmodload zsh/zpty && cd '\(folder.path)' && export TERM=dumb
      zpty inner zsh -f -i
      line() { zpty -w inner "$1"; }
      line "PS1=; unset zle_bracketed_paste; autoload -U compinit; compinit -u -D; source '\(script)'"
      line 'show() { print -rn -- "<$BUFFER>"; BUFFER=; zle accept-line }; zle -N show'
      line 'bindkey "^I" complete-word; bindkey "^X" show; print re""ady'
      zpty -r inner text '*ready*'
      zpty -wn inner $'\(typed)\\t\\x18'
      zpty -r inner text '*<*>*'
      print -r -- "${${text##*<}%%>*}"
      zpty -d inner
      """
    #expect(try output(["zsh", "-fc", program]) == "\(completed)\n")
  }

  @Test("Nothing in a sentence of the manual means something to troff")
  func escapes() {
    var plan = EarshotTool.commands[0]
    plan.options = [OptionPlan("--say", help: "Say \\fBZoë\\fP … --loudly")]
    plan.details = ".Sh BUGS\n'tis no macro\n\nFirst. Second: a\n  table -x\n  \u{1F600}"
    let page = ManualPage(
      table: CommandTable(commands: [plan], options: []), version: "1", date: "May 1, 2026"
    ).text
    #expect(page.contains("\nSay \\efBZo\\[u00EB]\\efP \\[u2026] \\-\\-loudly.\n"))
    #expect(page.contains("\n.Pp\n\\&.Sh BUGS\n\\&'tis no macro\n"))
    #expect(page.contains("\n.Bd -literal\nFirst. Second: a\n  table \\-x\n  \\[u1F600]\n.Ed\n"))
    #expect(page.unicodeScalars.allSatisfy { $0.isASCII })
  }

  @Test("The manual is what mandoc expects of one", .enabled(if: has("mandoc"), "needs mandoc"))
  func manual() throws {
    let folder = try Folder()
    let page = try folder.file("earshot.1", printed("man"))
    #expect(try output(["mandoc", "-Tlint", "-W", "warning", page]).isEmpty)
    let text = try output(["mandoc", "-Tutf8", page]).replacing(/.\u{8}/, with: "")
    for plan in Self.commands {
      #expect(text.contains("earshot \(plan.name)"))
      for option in plan.allOptions { #expect(text.contains("     \(option.name)")) }
    }
    #expect(text.contains("0...9999 --jobs 8"))
    #expect(text.contains("     130     Ctrl-C came before the end"))
  }
}

extension String {
  /// What stands between two texts, the first of each.
  fileprivate func section(from start: String, to end: String) -> Substring? {
    guard let begin = range(of: start),
      let last = range(of: end, range: begin.upperBound..<endIndex)
    else { return nil }
    return self[begin.upperBound..<last.lowerBound]
  }
}
