import Foundation
import ScreenKit
import Testing

/// Real processes at terminals of their own, on the loopback interface.
@Suite(
  "Terminals", .timeLimit(.minutes(30)), .fewAtOnce, .serialized,
  .enabled(if: TerminalProgram.isAvailable, "needs setsid of util-linux"))
struct TerminalTests {
  private let service = "t\(UInt32.random(in: .min ... .max))"

  private func chat(_ name: String, columns: Int = 80) throws -> TerminalProgram {
    try TerminalProgram("chat", "--name", name, "--service", service, columns: columns)
  }

  @Test("Two people type at once, and neither sees what is not so")
  func chatting() async throws {
    let (ann, bob) = (try chat("Ann"), try chat("Bob"))
    await ann.expect("Bob is nearby")
    ann.press("/invitee\u{7F} Bob\r")
    await bob.expect("Ann wants to chat with you. Accept? (y/n)")
    bob.press("y\r")
    await ann.expect("Bob joined this chat")
    await bob.expect("Ann joined this chat")
    bob.press("half a")
    await bob.expect { $0.lines.last == "> half a" }
    ann.press("hlo 小林 👩‍👩‍👧\u{1B}OH\u{1B}[C\u{1B}[Cel\u{1B}[D\u{7F}e\u{1B}[C\r")
    await bob.expect { $0.lines.suffix(2) == ["Ann said: hlelo 小林 👩‍👩‍👧", "> half a"] }
    bob.press(" line\r")
    await ann.expect { $0.lines.suffix(2) == ["Bob said: half a line", ">"] }
    await bob.expect { $0.lines.filter { $0.contains("half a") } == ["You said: half a line"] }
    #expect(!ann.showsKeys)
    ann.press("\u{4}")
    #expect(await ann.exitStatus() == 0)
    await bob.expect("Ann ended this chat")
    await ann.expect { $0.lines.last == "You ended this chat" && !$0.isPasteBracketed }
    #expect(ann.showsKeys)
    bob.press("/quit\r")
    #expect(await bob.exitStatus() == 0)
    #expect(bob.showsKeys)
    #expect(ann.screen.unknown.isEmpty && bob.screen.unknown.isEmpty)
  }

  @Test(
    "However it ends, the terminal is what it was",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGTRAP])
  func restored(signal: Int32) async throws {
    let ann = try chat("Ann")
    await ann.expect { $0.isPasteBracketed && $0.lines.last == ">" }
    #expect(!ann.showsKeys)
    ann.press("some text")
    await ann.expect("> some text")
    ann.signal(signal)
    #expect(await ann.exitStatus() != nil)
    #expect(ann.showsKeys)
    await ann.expect { !$0.isPasteBracketed }
  }

  @Test("Ctrl-C leaves, with a goodbye")
  func interrupted() async throws {
    let ann = try chat("Ann")
    await ann.expect { $0.lines.last == ">" }
    ann.press("abc\u{3}")
    #expect(await ann.exitStatus() == 0)
    #expect(ann.showsKeys)
  }

  @Test(
    "Ctrl-Z gives the terminal to the shell, and fg brings the line back",
    .enabled(if: Shell.has("bash"), "needs bash"))
  func stopped() async throws {
    let shell = try jobs(
      "\"$@\"; echo \"[stopped $?]\"; read line; fg >/dev/null; echo \"[ended $?]\"", "chat")
    await shell.expect { $0.lines.last == ">" }
    shell.press("abc")
    await shell.expect { $0.lines.last == "> abc" }
    shell.press("\u{1A}")
    await shell.expect("[stopped 148]")
    #expect(shell.showsKeys)
    shell.press("shell\r")
    await shell.expect { $0.lines.last == "> abc" && $0.isPasteBracketed }
    #expect(!shell.showsKeys)
    shell.press("d")
    await shell.expect { $0.lines.last == "> abcd" }
    shell.signal(SIGSTOP)
    await shell.expect("[ended 147]")
    // The shell ends and asks the job to; both are waited for.
    #expect(await shell.exitStatus() == 0)
  }

  @Test(
    "What stands still ends when it is asked to, and leaves the terminal alone",
    .enabled(if: Shell.has("bash"), "needs bash"),
    arguments: ["chat", "browse"], ["TERM", "HUP", "INT"])
  func endedWhileStopped(command: String, signal: String) async throws {
    let shell = try jobs(
      """
      "$@"; echo "[stopped $?]"; read line; echo
      kill -\(signal) %1; kill -CONT %1; wait %1; echo "[ended $?]"; read line
      """, command)
    await shell.expect { screen in
      screen.lines.last.map { command == "chat" ? $0 == ">" : $0.hasPrefix("Looking for peers") }
        == true
    }
    shell.press("\u{1A}")
    await shell.expect("[stopped 148]")
    shell.press("end it\r")
    await shell.expect("[ended 0]")
    await shell.expect { $0.lines.last == "[ended 0]" && !$0.isPasteBracketed }
    #expect(shell.showsKeys)
    shell.press("\r")
    #expect(await shell.exitStatus() == 0)
  }

  @Test(
    "In the background it stands still, whoever sends it there, and fg brings the line",
    .enabled(if: Shell.has("bash"), "needs bash"), arguments: [true, false])
  func background(isBegunThere: Bool) async throws {
    let begin = isBegunThere ? "\"$@\" &" : "\"$@\"; echo \"[stopped $?]\"; bg"
    let shell = try jobs("\(begin)\nwait %1; echo \"[still $?]\"; fg >/dev/null", "chat")
    if !isBegunThere {
      await shell.expect { $0.lines.last == ">" }
      shell.press("\u{1A}")
      await shell.expect("[stopped 148]")
    }
    await shell.expect("[still 149]")
    await shell.expect { $0.lines.last == ">" && $0.isPasteBracketed }
    shell.press("abc")
    await shell.expect { $0.lines.last == "> abc" }
    shell.press("\u{3}")
    #expect(await shell.exitStatus() == 0)
    #expect(shell.showsKeys)
  }

  @Test(
    "In the background of a terminal that no shell could give back, a chat ends",
    .enabled(if: Shell.has("bash"), "needs bash"))
  func orphaned() async throws {
    let shell = try jobs("(\"$@\" 3>&1 >/dev/tty &) | cat; echo \"[gone]\"; read line", "chat")
    await shell.expect("[gone]")
    #expect(shell.showsKeys && !shell.screen.isPasteBracketed)
    shell.press("\r")
    #expect(await shell.exitStatus() == 0)
  }

  @Test(
    "In the background who advertises goes on, and in the foreground lines change the info",
    .enabled(if: Shell.has("bash"), "needs bash"))
  func advertised() async throws {
    let shell = try jobs("\"$@\" &\nread line; echo \"[$line]\"; fg >/dev/null", "advertise")
    await shell.expect("Advertising Ann")
    let browser = try Program(["browse", "--service", service])
    await browser.expect("found\tAnn")
    shell.press("for the shell\r")
    await shell.expect("[for the shell]")
    shell.press("room=attic\r")
    await browser.expect("updated\tAnn")
    await shell.expect("The info is now room=attic")
    #expect(shell.showsKeys)
    shell.press("\u{3}")
    #expect(await shell.exitStatus() == 0)
    withExtendedLifetime(browser) {}
  }

  /// A shell that runs a program as a job, whose command line is `"$@"`.
  private func jobs(_ script: String, _ command: String) throws -> TerminalProgram {
    try TerminalProgram(
      running: [
        "bash", "-c", "set -m; \(script)", "bash",
        Program.path, command, "--name", "Ann", "--service", service, "--interface", "lo",
      ])
  }

  @Test("A terminal that changes its size shows the line once")
  func resized() async throws {
    let ann = try chat("Ann", columns: 90)
    // What is printed before the program has heard of the new size would be printed for the old one.
    await ann.expect { $0.lines.contains { $0.contains("/help") } && $0.lines.last == ">" }
    ann.press("a line that is longer than half of the terminal, so that it wraps")
    // Wrapping is on again when all of the row has come.
    await ann.expect { $0.textBeforeCursor.hasSuffix("it wraps") && $0.isWrapping }
    for columns in [50, 120] {
      ann.resize(columns: columns)
      await ann.expect { screen in
        screen.isWrapping && screen.lines.filter { $0.contains("wraps") }.count == 1
          && screen.lines.last?.hasPrefix(columns == 50 ? "< " : "> a line") == true
          && !screen.lines.dropLast().contains { $0.contains("a line that") }
      }
    }
  }

  @Test("The table of who is near fits the terminal after its size has changed")
  func table() async throws {
    let browser = try TerminalProgram("browse", "--service", service, columns: 100)
    let ann = try Program([
      "advertise", "--name", "Ann", "--info", "room=lobby", "--service", service,
    ])
    await browser.expect("room=lobby")
    for columns in [30, 90] {
      browser.resize(columns: columns)
      await browser.expect { screen in
        let rows = screen.lines
        return rows.count == 2 && rows[1].hasPrefix("1  Ann")
          && rows[1].hasSuffix("room=lobby") == (columns == 90)
          && (columns == 90 || rows[1].hasSuffix("…"))
      }
    }
    browser.press("\u{3}")
    #expect(await browser.exitStatus() == 0)
    withExtendedLifetime(ann) {}
  }

  @Test("Keys that are pressed do not show in the table of who is nearby")
  func tableStaysWhole() async throws {
    let browser = try TerminalProgram("browse", "--service", service, columns: 100)
    await browser.expect("Looking for peers")
    browser.press("keys that\rare pressed\r\r")
    let ann = try Program(["advertise", "--name", "Ann", "--service", service])
    await browser.expect { screen in
      let rows = screen.lines
      return rows.count == 2 && rows[0].hasPrefix("#") && rows[1].hasPrefix("1  Ann")
    }
    #expect(!browser.showsKeys)
    browser.press("\u{3}")
    #expect(await browser.exitStatus() == 0)
    #expect(browser.showsKeys)
    withExtendedLifetime(ann) {}
  }
}
