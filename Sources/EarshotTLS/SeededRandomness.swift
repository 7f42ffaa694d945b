import CEarshotTLS
package import EarshotCore

/// What OpenSSL draws its random numbers from in a simulation: a stream of the host's.
///
/// Belongs to one thread at a time, that of its world.
package final class SeededRandomness {
  private var stream: RandomStream

  /// Numbers that are a function of a stream's seed.
  package init(_ stream: RandomStream) { self.stream = stream }

  /// Runs calls of OpenSSL that draw from the stream.
  ///
  /// Not to be nested, and not to suspend: it is the thread that draws.
  func around<Result>(_ body: () -> Result) -> Result {
    let state = Unmanaged.passUnretained(self).toOpaque()
    earshot_random_override(
      { state, bytes, count in
        guard let state, let bytes else { return }
        Unmanaged<SeededRandomness>.fromOpaque(state).takeUnretainedValue().fill(bytes, count)
      }, state)
    defer { earshot_random_override(nil, nil) }
    return withExtendedLifetime(self, body)
  }

  private func fill(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
    let bytes = UnsafeMutableBufferPointer(start: bytes, count: count)
    var span = bytes.mutableSpan
    stream.fill(&span)
  }
}
