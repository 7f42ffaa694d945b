extension FaultPlan {
  /// What survives the plan.
  ///
  /// | faults | memberships | links | identities | convergence |
  /// |---|---|---|---|---|
  /// | partition, cut, clog, isolation, unplugging, flap, change, shared medium, freezing, slowness | up to patience - 15 s | up to 1 s | yes | when they end |
  /// | reset, suspension, new addresses | up to patience - 15 s | no | yes | when they end |
  /// | exhausted ports | alone | alone | yes | when they end |
  /// | a clock that jumps or drifts by more than 5 % | alone | alone | yes | yes |
  /// | hiding, loss of multicast alone | yes | yes | yes | when they end |
  /// | stale records, reflection | yes | yes | yes | yes |
  /// | crash, leaving, restart | no | no | yes | when they end |
  /// | restart as a stranger | no | no | no | yes |
  /// | healing, resumption, a full, slow or failing disk, a clock that drifts by up to 5 % | yes | yes | yes | yes |
  ///
  /// Everything survives the rest: ``Guarantee/unconditional``. Times are those of faults that follow upon each other
  /// with less than 15 s (for links 5 s) in between, from the beginning of the first to the end of the last, and what
  /// is late because of them included. They are for links that lose nothing by chance, and are watched as
  /// `Liveness.standard` says.
  ///
  /// - Parameter patience: How long a session waits for a member whose link is broken.
  /// - Returns: The guarantees.
  public func guarantees(patience: Duration = .seconds(30)) -> Set<Guarantee> {
    var guarantees = Guarantee.unconditional
    let worst = faults.map(\.kind.impact).max() ?? .none
    if worst < .identity { guarantees.insert(.identities) }
    if faults.allSatisfy(isOver) { guarantees.insert(.convergence) }
    guard worst < .memory else { return guarantees }
    let isHindered = faults.contains { $0.kind.impact == .hindrance }
    let breaksLinks =
      worst >= .delay
      && (worst >= .breakage || isHindered
        || longestDisturbance(gap: Self.linkGap) > Self.unnoticed)
    if !breaksLinks { guarantees.insert(.links) }
    let isShort = longestDisturbance(gap: Self.settling) + Self.settling <= patience
    if !breaksLinks || !isHindered && isShort { guarantees.insert(.memberships) }
    return guarantees
  }

  // MARK: Ends

  private func isOver(_ fault: Fault) -> Bool {
    switch fault.kind {
    case _ where fault.kind.impact == .none: true
    // A clock that is fast or slow for ever is a clock, and records that come twice are records.
    case .hosts(_, .clock), .hosts(_, .stale), .hosts(_, .reflect): true
    case _ where fault.kind.isMomentary: true
    default: end(of: fault) != nil
    }
  }

  /// When a fault is over; `nil` for never.
  private func end(of fault: Fault) -> Duration? {
    if fault.kind.isMomentary { return fault.at }
    if let lasting = fault.lasting { return fault.at + lasting }
    guard case .hosts(let names, _) = fault.kind else { return firstEnd(of: fault, at: nil) }
    let ends = names.map { firstEnd(of: fault, at: $0) }
    return ends.contains(nil) ? nil : ends.compactMap { $0 }.max()
  }

  private func firstEnd(of fault: Fault, at name: String?) -> Duration? {
    faults.filter { $0.at > fault.at && $0.kind.ends(fault.kind, at: name) }.map(\.at).min()
  }

  // MARK: Disturbances

  /// The longest time in which faults disturb links, with short times in between in which none does.
  private func longestDisturbance(gap: Duration) -> Duration {
    var (longest, start, end) = (Duration.zero, Duration.zero, Duration?.none)
    for fault in faults where fault.kind.impact >= .delay {
      guard let over = self.end(of: fault) else { return Self.forever }
      if end.map({ fault.at > $0 + gap }) ?? true { (start, end) = (fault.at, fault.at) }
      end = max(end ?? over, over + fault.kind.lag)
      longest = max(longest, (end ?? start) - start)
    }
    return longest
  }

  private static let forever: Duration = .seconds(1_000_000_000)
  /// How long peers take to notice that nothing stands between them any more: three times the silence after which a
  /// link counts as broken.
  private static let settling: Duration = .seconds(15)
  /// How long a link takes to recover from a disturbance that has not broken it.
  private static let linkGap: Duration = .seconds(5)
  /// How long a disturbance is that breaks no link: far shorter than the silence that does, because what was lost is
  /// sent again later and later.
  private static let unnoticed: Duration = .seconds(1)
}

extension Fault.Kind {
  /// Whether it ends another fault, at one host if that is about hosts.
  fileprivate func ends(_ other: Fault.Kind, at name: String?) -> Bool {
    switch (self, other) {
    case (.heal, .partition), (.heal, .links), (.heal, .medium): true
    case (.heal, .hosts(_, .isolate)), (.heal, .hosts(_, .clog)), (.heal, .hosts(_, .unplug)),
      (.heal, .hosts(_, .stale)), (.heal, .hosts(_, .reflect)):
      true
    case (.hosts(let names, .resume), .hosts(_, .suspend)),
      (.hosts(let names, .resume), .hosts(_, .freeze)),
      (.hosts(let names, .restart), .hosts(_, .crash)),
      (.hosts(let names, .restart), .hosts(_, .leave)),
      (.hosts(let names, .restart), .hosts(_, .suspend)),
      (.hosts(let names, .restart), .hosts(_, .freeze)):
      name.map { names.contains($0) } ?? false
    case (.partition, _), (.links, _), (.medium, _), (.hosts, _), (.heal, _): false
    }
  }
}

extension Set<Guarantee> {
  /// The guarantees in the order of their declaration.
  package var inOrder: [Guarantee] { Guarantee.allCases.filter { contains($0) } }
}
