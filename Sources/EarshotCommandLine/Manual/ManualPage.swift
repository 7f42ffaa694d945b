/// The manual page of a table of commands, in the mdoc language of BSD, which groff and mandoc read.
package struct ManualPage {
  let table: CommandTable
  /// The version of the program, and the day of that version.
  let version: String, date: String

  /// The page of a version and its day.
  package init(table: CommandTable, version: String, date: String) {
    (self.table, self.version, self.date) = (table, version, date)
  }

  /// The page, section 1.
  package var text: String {
    let name = table.program
    return """
      .\\" Printed by "\(name) man".
      .Dd \(date)
      .Dt \(name.uppercased()) 1
      .Os
      .Sh NAME
      .Nm \(name)
      .Nd nearby peers find each other, talk, are interrupted, and carry on
      .Sh SYNOPSIS
      \(table.commands.map(synopsis).joined()).Nm
      .Fl \(table.options.map { "-\($0.name.dropFirst(2))" }.joined(separator: " | Fl "))
      .Sh DESCRIPTION
      \(description)\(options(table.options))This page describes version \(Self.escaped(version)).
      .Sh COMMANDS
      \(table.commands.map(section).joined()).Sh ENVIRONMENT
      .Bl -tag -width Ds
      .It Ev EARSHOT_LOG
      Commands that meet other peers, and a single run of
      .Cm simulate ,
      print what happens to standard error, a line for each record, or a JSON object
      with
      .Fl -json .
      The value is a level
      .Pq debug, info, notice, warning, error or off ,
      a subsystem with its level such as
      .Dq discovery:debug ,
      or several of these with commas between them.
      .It Ev NO_COLOR
      When it is set and not empty, nothing is coloured.
      .It Ev TERM
      When it is
      .Dq dumb ,
      nothing is coloured and no line is overwritten.
      .El
      .Sh EXIT STATUS
      \(exitStatus).Sh EXAMPLES
      Run all scenarios of a folder and show only what fails:
      .Pp
      .Dl $ \(name) simulate Simulations/*.json5 \\-\\-quiet
      .Pp
      Look for seeds that fail, with eight processes:
      .Pp
      .Dl $ \(name) simulate room.json5 \\-\\-seeds 0...9999 \\-\\-jobs 8
      .Pp
      Send a folder to a peer nearby, which runs the second line:
      .Pp
      .Dl $ tar c folder | \(name) pipe \\-\\-to Ann
      .Dl $ \(name) pipe \\-\\-listen \\-\\-accept \\-\\-name Ann | tar x
      .Pp
      Send a file, and receive it at the other end:
      .Pp
      .Dl $ \(name) send report.pdf \\-\\-to Ann
      .Dl $ \(name) receive \\-\\-into Downloads \\-\\-name Ann
      .Pp
      Enable completion of commands in bash:
      .Pp
      .Dl $ source <(\(name) completions bash)

      """
  }

  private var description: String {
    """
    Peers within earshot find each other, invite each other and talk, with no
    server.
    The commands below meet other peers over the networks of this computer, or run
    simulated ones in virtual time.

    """
  }

  private func synopsis(_ command: CommandPlan) -> String {
    let operands = command.operands.split(separator: " ").map(Self.operand)
    return ([".Nm", ".Cm \(command.name)"] + operands).joined(separator: "\n") + "\n"
  }

  /// `[COMMAND]` is optional, and `FILE…` stands for several.
  private static func operand(_ word: Substring) -> String {
    let isOptional = word.hasPrefix("[")
    let text = word.filter { !"[]…".contains($0) }
    let many = word.contains("…") ? " ..." : ""
    let argument =
      text.contains("|")
      ? "Cm \(text.split(separator: "|").joined(separator: " | Cm "))" : "Ar \(text)"
    return isOptional ? ".Op \(argument)\(many)" : ".\(argument)\(many)"
  }

  private func section(_ command: CommandPlan) -> String {
    """
    .Ss \(command.name)
    \(Self.escaped(command.summary)).
    \(Self.paragraphs(command.details))\(options(command.allOptions))
    """
  }

  private func options(_ options: [OptionPlan]) -> String {
    let items = options.map { option in
      let optional = option.isValueOptional ? " Op" : ""
      let value = option.value.map { "\(optional) Ar \(Self.escaped($0))" } ?? ""
      return ".It Fl -\(option.name.dropFirst(2))\(value)\n\(Self.escaped(option.line)).\n"
    }
    return ".Bl -tag -width Ds\n\(items.joined()).El\n"
  }

  private var exitStatus: String {
    let rows = ExitCode.allCases.map { ".It \($0.rawValue)\n\(Self.escaped($0.meaning)).\n" }
    return """
      .Bl -tag -width Ds
      \(rows.joined()).El
      .Pp
      Of those that apply, a command ends with the gravest:
      \(ExitCode.allCases.sorted(by: >).map { "\($0.rawValue)" }.joined(separator: ", ")),
      in this order.

      """
  }

  /// Paragraphs are filled; what is indented or belongs to something that is stays as it is.
  private static func paragraphs(_ details: String) -> String {
    details.split(separator: "\n\n").map { paragraph in
      let text = escaped(String(paragraph))
      guard paragraph.contains("\n  ") else { return ".Pp\n\(sentences(text))\n" }
      return ".Bd -literal\n\(text)\n.Ed\n"
    }.joined()
  }

  /// The text with a new line for each sentence, which is how troff knows sentences.
  private static func sentences(_ text: String) -> String {
    text.replacing(/([.!?]) (["A-Z])/) { "\($0.1)\n\($0.2)" }
  }

  /// The text without anything that means something to troff, in ASCII.
  private static func escaped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let start = line.first.map { ".'".contains($0) } == true ? "\\&" : ""
      return start + line.unicodeScalars.map(escaped).joined()
    }.joined(separator: "\n")
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\\": "\\e"
    case "-": "\\-"
    case _ where !scalar.isASCII: "\\[u\(Self.hexadecimal(scalar))]"
    default: String(scalar)
    }
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
