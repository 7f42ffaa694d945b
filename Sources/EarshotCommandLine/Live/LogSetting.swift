import Earshot
import EarshotScenario
import EarshotSimulator
import Foundation

/// The records that the environment of a command wants to see, and their form.
package struct LogSetting: Hashable, Sendable {
  /// The variable of the environment.
  package static let variable = "EARSHOT_LOG"

  /// The records that are wanted.
  let filter: LogFilter
  /// Whether each record is a JSON object.
  let isJSON: Bool

  /// The setting that the value of the variable describes.
  ///
  /// - Parameters:
  ///   - text: The value.
  ///   - isJSON: Whether each record is a JSON object.
  /// - Throws: What is wrong with the value.
  init(_ text: String, asJSON isJSON: Bool) throws(UsageError) {
    self.isJSON = isJSON
    do throws(LogFilterError) { filter = try LogFilter(text) } catch {
      throw UsageError(sentence: "\(Self.variable)=\(text): \(error)")
    }
  }

  /// Prints the log of a peer until it ends.
  ///
  /// - Parameters:
  ///   - peer: The peer, which is not held.
  ///   - console: Where each record becomes a line of standard error.
  /// - Returns: The task that prints; it ends soon after the peer.
  func follow(_ peer: Peer, on console: Console) -> Task<Void, Never> {
    let (records, host, isJSON) = (peer.log(filter), peer.host, isJSON)
    return Task(executorPreference: host.executor.task) {
      for await record in records {
        let time = host.instrumentation == nil ? Self.date(of: record, on: host) : nil
        console.err((isJSON ? record.json(at: time) : record.text(at: time)) + "\n")
      }
    }
  }

  /// When a record was made, by the wall clock.
  private static func date(of record: LogRecord, on host: any NetworkHost) -> String {
    let age = Double((host.now - record.time).nanoseconds) / 1_000_000_000
    return (Date.now - age).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// The line of a record in the trace of a world; `nil` for other events, and for a record that is
  /// not wanted.
  func line(of event: TraceEvent) -> String? {
    guard let record = event.record, filter.includes(record) else { return nil }
    return isJSON ? record.json(on: event.from) : "\(event.from) \(record)".escapedForTerminals
  }
}

extension LogRecord {
  /// The record as a line for people.
  fileprivate func text(at date: String?) -> String {
    (date.map { "\($0) \(line)" } ?? description).escapedForTerminals
  }

  /// The record as a JSON object.
  fileprivate func json(at date: String? = nil, on host: String? = nil) -> String {
    let texts: [(String, String?)] = [
      ("date", date), ("host", host), ("level", level.rawValue), ("subsystem", subsystem.rawValue),
      ("event", event.rawValue), ("local", local.description), ("peer", peer?.description),
      ("endpoint", endpoint?.description), ("service", service), ("reason", reason),
      ("message", message),
    ]
    var members = [("time", time.description)]
    members += texts.compactMap { name, text in text.map { (name, $0.quotedForJSON) } }
    if let link { members.append(("link", "\(link)")) }
    members += numbers.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
    return JSONText.object(members)
  }
}
