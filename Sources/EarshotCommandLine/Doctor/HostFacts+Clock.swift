extension HostFacts {
  /// What speaks against the clock: links do not look at it, certificates of downloads and tickets
  /// do.
  var clockFindings: [Finding] {
    let command = programs.setClock
    if let newer = clock.newerThanNow {
      return [
        Finding(
          .clock, .warning,
          "The clock shows a time before \(newer) was made; links do not mind, tickets and certificates do.",
          mendedBy: command)
      ]
    }
    // The other clock may show the time of any zone.
    if let ahead = clock.aheadOfHardware, ahead.magnitude > Self.offsetMax {
      let days = ahead.magnitude.components.seconds / 86_400
      return [
        Finding(
          .clock, .warning,
          "The clock is \(days) days \(ahead < .zero ? "behind" : "ahead of") that of the hardware, and one of them is wrong; "
            + "links do not mind, tickets and certificates do.", mendedBy: command)
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

  private static let offsetMax = Duration.seconds(2 * 86_400)
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
