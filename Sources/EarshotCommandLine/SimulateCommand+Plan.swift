extension SimulateCommand {
  /// The command, as its help describes it.
  static let plan = CommandPlan(
    name: "simulate", operands: "FILE… [options]",
    summary: "Run scenarios in virtual time, and report whether they hold",
    details: """
      A file describes peers, their hosts, faults, and expectations. One seed is one
      run, always the same: the last line of a report is the command that replays it.
      A single run is done twice to prove that.

      Several processes share several runs. A run that crashes is one failure among
      others, similar failures are shown together, and the last line is a tally.
      Ctrl-C ends a command, which then prints its findings so far.

      exit status, the gravest of those that apply:
        0    everything held
        1    an expectation was violated
        2    the command line or a file is wrong; nothing was run
        3    a run crashed, or two runs of one seed differed
        4    nothing was checked: no expectation, or no activity
        5    an output could not be written
        130  Ctrl-C came before the end
      """,
    options: [
      OptionPlan("--seed", "N", help: "Run this seed instead of the one in the file"),
      OptionPlan(
        "--seeds", "A...B",
        help:
          "Run the seeds from A to B, and list those that fail;\n\"A..<B\", in quotes, leaves B out"
      ),
      OptionPlan(
        "--twice", help: "With --seeds: run each seed twice and compare\n(default: every 20th)"),
      OptionPlan(
        "--policy", "POLICY",
        help:
          "The schedule policy: fifo, random, pct or urw (default:\nthe policy of the file)"
      ),
      Setting.option,
      OptionPlan(
        "--buggify",
        help:
          "Make rare behaviour of Earshot frequent, within its\npromises; the seed draws which"
      ),
      OptionPlan("--once", help: "Run each seed only once"),
      OptionPlan(
        "--trace", "FILE", help: "Write every event of the run to a file,\nseparated by tabs"),
      OptionPlan(
        "--pcap", "FILE",
        help: "Write the packets of the peers to a capture file for\nWireshark (pcapng)"),
      OptionPlan(
        "--perfetto", "FILE",
        help: "Write the run as a trace for https://ui.perfetto.dev"),
      OptionPlan(
        "--report", "FILE",
        help: "Write the run as a page for a browser, in one file:\ntimeline, outages, plots"),
      OptionPlan(
        "--drawing", "FILE",
        help: "Draw the run as SVG: states, faults, messages, files"),
      OptionPlan(
        "--against", "SEED|FILE",
        help: "Compare the report's run with that of another seed,\nor of another scenario"),
      OptionPlan(
        "--watch",
        help:
          "Run the file again each time it or an included file is\nsaved, and show a lane for each peer, until Ctrl-C"
      ),
      OptionPlan("--quiet", help: "Show only failures, and the tally"),
      OptionPlan(
        "--jobs", "N", help: "The number of simultaneous runs (default: the number\nof processors)"),
      OptionPlan("--json", help: "Print one JSON object a line"),
    ])
}
