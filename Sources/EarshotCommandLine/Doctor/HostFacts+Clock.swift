extension HostFacts {
  /// The findings about the clock, on which certificates of downloads and tickets depend; links do
  /// not.
  var clockFindings: [Finding] {
    let command = programs.setClock
    if let newer = clock.newerThanNow {
      return [
        Finding(
          .clock, .warning,
          "The clock shows a time before the date of \(newer). \(Self.dependents)",
          mendedBy: command)
      ]
    }
    // The other clock may show the time of any zone.
    if let ahead = clock.aheadOfHardware, ahead.magnitude > Self.offsetMax {
      let days = ahead.magnitude.components.seconds / 86_400
      return [
        Finding(
          .clock, .warning,
          "The clock is \(days) days \(ahead < .zero ? "behind" : "ahead of") the hardware clock, so one of the two is wrong. "
            + Self.dependents, mendedBy: command)
      ]
    }
    guard clock.isAlone else { return [] }
    return [
      Finding(
        .clock, .note,
        "The clock is not synchronised with the network, so it may be wrong.",
        mendedBy: command)
    ]
  }

  private static let dependents =
    "Links do not depend on the clock; tickets and certificates do."
  private static let offsetMax = Duration.seconds(2 * 86_400)
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
