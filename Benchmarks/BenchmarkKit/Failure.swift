import Foundation

/// Ends the benchmark with a sentence that says why, in release builds too, where a trap says nothing.
public func fail(_ reason: String) -> Never {
  FileHandle.standardError.write(Data("\(reason)\n".utf8))
  exit(1)
}

/// Ends the benchmark if something does not hold, since what it measures would mean nothing.
public func require(_ condition: Bool, _ reason: @autoclosure () -> String) {
  if !condition { fail(reason()) }
}
