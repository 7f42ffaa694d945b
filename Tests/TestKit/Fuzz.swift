import EarshotCore

/// Random and damaged inputs for decoders.
public enum Fuzz {
  /// The number of inputs for one decoder: 200,000 in a release build, 50,000 in a debug build.
  ///
  /// `.ci/fuzz` has libFuzzer try some millions of each decoder.
  public static var inputCount: Int {
    var isDebug = false
    assert(
      {
        isDebug = true; return true
      }())
    return isDebug ? 50_000 : 200_000
  }

  /// Hands over inputs: random bytes, and samples with a few bytes changed, cut or grown.
  ///
  /// - Parameters:
  ///   - samples: Valid inputs to start from.
  ///   - count: How many; fewer for what takes long.
  ///   - seed: Where the randomness begins.
  ///   - body: Takes one input.
  public static func inputs(
    like samples: [[UInt8]], count: Int = inputCount, seed: Seed = Seed(1),
    _ body: ([UInt8]) throws -> Void
  ) rethrows {
    var random = seed.generator
    for index in 0..<count {
      if samples.isEmpty || index % 4 == 0 {
        try body(noise(using: &random))
      } else {
        try body(mutant(of: samples[pick(samples.count, using: &random)], using: &random))
      }
    }
  }

  private static func noise(using random: inout RandomStream) -> [UInt8] {
    (0..<pick(64, using: &random)).map { _ in byte(using: &random) }
  }

  private static func mutant(of sample: [UInt8], using random: inout RandomStream) -> [UInt8] {
    var bytes = sample
    for _ in 0...pick(4, using: &random) { mutate(&bytes, using: &random) }
    return bytes
  }

  private static func mutate(_ bytes: inout [UInt8], using random: inout RandomStream) {
    let index = pick(bytes.count + 1, using: &random)
    switch pick(5, using: &random) {
    case 0: bytes.insert(byte(using: &random), at: index)
    case 1: bytes.removeSubrange(index...)
    case 2 where index < bytes.count: bytes.remove(at: index)
    case 3 where index < bytes.count: bytes[index] ^= 1 << UInt8(pick(8, using: &random))
    case _ where index < bytes.count: bytes[index] = byte(using: &random)
    default: bytes.append(byte(using: &random))
    }
  }

  private static func byte(using random: inout RandomStream) -> UInt8 {
    UInt8(truncatingIfNeeded: random.next())
  }

  private static func pick(_ count: Int, using random: inout RandomStream) -> Int {
    Int(random.next() % UInt64(count))
  }
}
