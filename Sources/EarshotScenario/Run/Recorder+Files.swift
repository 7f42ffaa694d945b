import EarshotSimulator

extension Recorder {
  /// A file is offered.
  ///
  /// - Returns: The number of its transfer.
  func offer(
    _ plan: FilePlan, _ direction: Direction, content: UInt64, modified: Int64,
    at host: SimulatedHost
  ) -> Int {
    files {
      $0.offer(
        plan.name, direction, in: plan.session, bytes: plan.bytes, content: content,
        modified: modified, at: host.elapsed)
    }
  }

  /// A program gets an offer.
  ///
  /// - Returns: The number of its transfer; `nil` if it is none that was made to it.
  func offerArrived(
    _ name: String, from: String, bytes: Int64?, modified: Int64, at host: SimulatedHost
  ) -> Int? {
    let (number, mistake) = files {
      $0.arrive(name, from: from, to: host.name, bytes: bytes, modified: modified)
    }
    report(mistake, .files, at: host)
    return number
  }

  /// A side is told how far a transfer is.
  func progressed(
    _ number: Int, _ side: Verdict.File.Side, _ report: FileLog.Report, at host: SimulatedHost
  ) {
    let cause = report.cause.map { ", \($0.rawValue)" } ?? ""
    trace(host, kind: "progress", "\(number): \(report.completed)\(cause)")
    self.report(
      files { $0.progress(number, side, report, at: host.elapsed) }, .transfers, at: host)
    guard side == .receiver else { return }
    self.report(look(in: host, withBytes: false), .files, at: host)
  }

  /// A transfer has ended for one side.
  func ended(
    _ number: Int, _ side: Verdict.File.Side, _ ending: Verdict.File.Ending, digest: [UInt8],
    at host: SimulatedHost
  ) {
    report(
      files { $0.end(number, side, ending, digest: digest, at: host.elapsed) }, .transfers, at: host
    )
  }

  /// A file is said to have got its name.
  func placed(_ number: Int, at path: String, on host: SimulatedHost) {
    let parts = path.split(separator: "/")
    let (folder, name) = ("/" + parts.dropLast().joined(separator: "/"), String(parts.last ?? ""))
    let bytes = host.disk.bytes(of: path)
    report(files { $0.place(number, in: folder, as: name, bytes) }, .files, at: host)
  }

  /// What is wrong about the folder of a host.
  func look(in host: SimulatedHost, withBytes: Bool) -> String? {
    let entries = host.receivedFiles(withBytes: withBytes)
    return files { $0.complaint(about: entries, of: host.name) }
  }

  private func report(_ mistake: String?, _ law: Breach.Law, at host: SimulatedHost) {
    guard let mistake else { return }
    breach(
      law, "at \(Quantity.moment(host.elapsed)) \(mistake)", at: host.elapsed, about: [host.name])
  }
}

extension SimulatedHost {
  /// What lies in the folder for what the host's program receives.
  func receivedFiles(withBytes: Bool) -> [FileLog.Entry] {
    disk.names(in: FileLog.folder).map { name in
      let path = "\(FileLog.folder)/\(name)"
      // What is not whole yet has bytes of no interest.
      let bytes = withBytes && !name.hasPrefix(".") ? disk.bytes(of: path) : nil
      return FileLog.Entry(
        name, byteCount: Int(disk.attributes(of: path)?.byteCount ?? 0), bytes: bytes)
    }
  }
}
