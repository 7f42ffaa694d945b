import Dispatch
package import Earshot
import Foundation

/// The lines that somebody types, or that a pipe brings.
///
/// A thread of its own reads them, since reading waits; it stops reading while nobody takes what it has read.
package final class Keyboard: Sendable {
  /// The lines, without their line breaks; ends with the input.
  package var lines: EventStream<String> { EventStream(hub) }

  private let hub: EventHub<String>
  private let room: DispatchSemaphore

  /// A keyboard on which nothing was typed yet.
  package init() {
    let room = DispatchSemaphore(value: Self.linesMax)
    self.room = room
    hub = EventHub(countMax: Self.linesMax) {
      $0
    } released: { taken in
      for _ in taken { room.signal() }
    }
  }

  /// Adds a line, from any thread; waits while there is no room.
  package func type(_ line: String) {
    room.wait()
    hub.push(line)
  }

  /// Ends the input.
  package func close() { hub.finish() }

  /// Begins to read lines from a file until its end.
  ///
  /// - Parameter descriptor: The file; 0 is the standard input.
  package func read(from descriptor: Int32) {
    let thread = Thread { [self] in
      var splitter = LineSplitter()
      while let bytes = Self.bytes(from: descriptor) {
        for line in splitter.split(bytes) { type(line) }
      }
      if let last = splitter.finish() { type(last) }
      close()
    }
    thread.name = "earshot keyboard"
    thread.start()
  }

  /// The next bytes, or `nil` at the end.
  private static func bytes(from descriptor: Int32) -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var count = 0
    repeat {
      count = Foundation.read(descriptor, &buffer, buffer.count)
    } while count < 0 && errno == EINTR
    return count > 0 ? buffer[..<count] : nil
  }

  private static let linesMax = 1_024
}
