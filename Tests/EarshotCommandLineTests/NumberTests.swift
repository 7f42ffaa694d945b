import EarshotCommandLine
import Testing

/// Every option that takes a number, beyond its range in each way that a number can be.
@Suite("Numbers in options")
struct NumberTests {
  private static let seconds = [
    "-1", "-0.1", "1e400", "-1e400", "inf", "-infinity", "nan", "3600.1", "9223372036854775808",
    "", " ", "1s", "٣",
  ]
  private static let integers = [
    "-9223372036854775809", "-9223372036854775808", "-1", "9223372036854775807",
    "9223372036854775808", "18446744073709551616", "1e3", "0.5", "nan", "", " ", "٣",
  ]
  private static let seeds = [
    "-1", "18446744073709551616", "99999999999999999999999999", "1.5", "nan", "",
  ]
  private static let ranges = [
    "-1...1", "0...18446744073709551615", "0..<18446744073709551616", "0..<18446744073709551615",
    "1...0", "0..<0", "0...", "...9", "nan...1", "",
  ]
  private static let times = [
    "-1s", "0s", "99999999999999999999s", "9223372037s", "2562048h", "nans", "infs", "1e9s", "1",
    "",
  ]
  private static let shards = [
    "0/0", "-1/2", "1/1", "2/1", "0/1000001", "18446744073709551616/2",
    "0/18446744073709551616", "0/-1", "1/", "/", "nan/2", "",
  ]
  private static let sizes = [
    "-1", "-1K", "9223372036854775808", "9007199254740992K", "8388608T", "1e3", "0.5", "nan", "",
    " ", "K", "1KK", "٣",
  ]
  private static let ports = ["0", "65536"] + integers

  private static let table: [(command: [String], option: String, values: [String])] = [
    (["ping", "Ann"], "--count", ["0", "1000001"] + integers),
    (["ping", "Ann"], "--interval", seconds),
    (["ping", "Ann"], "--timeout", ["0", "0.09"] + seconds),
    (["ping", "Ann"], "--size", ["0", "7", "1048577"] + integers),
    (["ping", "Ann", "--unreliable"], "--size", ["0", "7", "65537"] + integers),
    (["ping", "Ann"], "--port", ports),
    (["pipe", "--to", "Ann"], "--timeout", ["0", "0.09"] + seconds),
    (["pipe", "--to", "Ann"], "--patience", seconds),
    (["pipe", "--listen", "--accept"], "--port", ports),
    (["send", "a", "--to", "Ann"], "--timeout", ["0", "0.09"] + seconds),
    (["send", "a", "--to", "Ann"], "--patience", seconds),
    (["send", "a", "--to", "Ann"], "--port", ports),
    (["receive"], "--timeout", ["0", "0.09", "86400.1"] + seconds.filter { $0 != "3600.1" }),
    (["receive"], "--patience", seconds),
    (["receive", "--accept"], "--up-to", sizes),
    (["receive"], "--port", ports),
    (["browse"], "--port", ports),
    (["chat"], "--port", ports),
    (["chat"], "--patience", seconds),
    (["advertise"], "--port", ports),
    (["advertise", "--accept"], "--valid", ["0"] + seconds.filter { $0 != "3600.1" }),
    (["doctor"], "--timeout", ["0"] + seconds),
    (["doctor"], "--port", ports),
    (["simulate", "a"], "--seed", seeds),
    (["simulate", "a"], "--seeds", ranges),
    (["simulate", "a"], "--jobs", ["0", "257"] + integers),
    (["explore", "a"], "--seeds", ranges),
    (["explore", "a"], "--jobs", ["0", "257"] + integers),
    (["explore", "a"], "--time", times),
    (["explore", "a"], "--shard", shards),
    (["shrink", "a"], "--seed", seeds),
    (["shrink", "a"], "--runs", integers),
  ]

  @Test("A number out of its range is a mistake of the call, which is named", arguments: table)
  func mistakes(command: [String], option: String, values: [String]) {
    for value in values {
      let shell = Shell()
      #expect(shell.run(command + ["\(option)=\(value)"]) == .usage, "\(option)=\(value)")
      #expect(shell.err.hasPrefix("earshot: "), "\(option)=\(value)")
      #expect(
        shell.err.hasSuffix("\nSee \"earshot help \(command[0])\".\n"), "\(option)=\(value)")
      #expect(shell.out.isEmpty && shell.runs.isEmpty, "\(option)=\(value)")
    }
  }

  @Test("The ends of the ranges are taken")
  func ends() throws {
    let folder = try Folder()
    let file = try folder.file("two.json5")
    let words: [[String]] = [
      ["--seed", "0"], ["--seed", "18446744073709551615"], ["--seeds", "0...0"],
      ["--seeds", "18446744073709551614...18446744073709551614"],
      ["--seeds", "18446744073709551614..<18446744073709551615"],
      ["--jobs", "1"], ["--jobs", "256"],
    ]
    for words in words {
      let shell = Shell()
      #expect(shell.run(["simulate", file] + words) == .held, "\(words)")
      #expect(!shell.runs.isEmpty, "\(words)")
    }
    for words in [
      ["--time", "1ns"], ["--time", "9223372036s"], ["--time", "2562047h"],
      ["--shard", "0/1000000"], ["--seeds", "18446744073709551614...18446744073709551614"],
    ] {
      let shell = Shell()
      _ = shell.run(["explore", file, "--no-shrink", "--seeds", "0...0"] + words)
    }
  }

  @Test("Every option that takes a number is in the table")
  func complete() {
    let numbers: Set = ["N", "SECONDS", "BYTES", "SIZE", "A...B", "T", "I/N"]
    for command in EarshotTool.commands {
      for option in command.options where numbers.contains(option.value ?? "") {
        #expect(
          Self.table.contains { $0.command[0] == command.name && $0.option == option.name },
          "\(command.name) \(option.name)")
      }
    }
  }
}
