/// VERIFY: the wish to compare a verification code, and the agreement to that: both sides send it.
///
/// ```
/// attempt (varint)
/// ```
///
/// Attempts are numbered from 1 as long as the link lasts, by both sides alike; what belongs to an earlier one is ignored.
package struct VerificationRequest: FramePayload {
  /// VERIFY.
  package static let type = FrameType.verify

  /// Which attempt it is.
  package var attempt: UInt64

  /// The wish for an attempt.
  package init(attempt: UInt64) { self.attempt = attempt }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    attempt = try reader.readAttempt()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) { writer.writeVarint(attempt) }
}

/// COMMIT: the listener's promise of which nonce it will show, before it has seen the dialler's.
///
/// ```
/// attempt (varint) | hash (32 bytes)
/// ```
package struct VerificationCommitment: FramePayload {
  /// COMMIT.
  package static let type = FrameType.commit

  /// Which attempt it belongs to.
  package var attempt: UInt64
  /// The hash of the nonce and of the link's secret.
  package var hash: [UInt8]

  /// A promise with the given parts.
  package init(attempt: UInt64, hash: [UInt8]) { (self.attempt, self.hash) = (attempt, hash) }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    attempt = try reader.readAttempt()
    hash = try reader.readBytes(32)
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(attempt)
    writer.write(hash)
  }
}

/// NONCE: the dialler's random number after COMMIT, and the listener's after that.
///
/// ```
/// attempt (varint) | nonce (32 bytes)
/// ```
package struct VerificationNonce: FramePayload {
  /// NONCE.
  package static let type = FrameType.nonce

  /// Which attempt it belongs to.
  package var attempt: UInt64
  /// The number.
  package var nonce: [UInt8]

  /// A nonce of an attempt.
  package init(attempt: UInt64, nonce: [UInt8]) { (self.attempt, self.nonce) = (attempt, nonce) }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    attempt = try reader.readAttempt()
    nonce = try reader.readBytes(32)
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(attempt)
    writer.write(nonce)
  }
}

/// VERDICT: what the people, or the program, of one side say of the code.
///
/// ```
/// attempt (varint) | verdict (varint)
/// ```
package struct VerificationVerdict: FramePayload {
  /// VERDICT.
  package static let type = FrameType.verdict
  package enum Verdict: UInt64, Hashable, Sendable, CaseIterable {
    case confirmed = 0  // The codes are the same.
    case rejected = 1  // They differ.
    case withdrawn = 2  // The sender does not want to know any more.
    case timedOut = 3
    case refused = 4  // The sender's program compares no codes.
    case tooMany = 5  // Too many attempts have failed.
  }

  /// Which attempt it belongs to.
  package var attempt: UInt64
  /// What is said.
  package var verdict: Verdict

  /// A verdict on an attempt.
  package init(attempt: UInt64, verdict: Verdict) {
    (self.attempt, self.verdict) = (attempt, verdict)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    attempt = try reader.readAttempt()
    guard let verdict = Verdict(rawValue: try reader.readVarint()) else { throw .malformed }
    self.verdict = verdict
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(attempt)
    writer.writeVarint(verdict.rawValue)
  }
}

extension FrameBounds {
  /// How many verification codes are made on one link at most.
  package static let attemptsMax: UInt64 = 65_535
}

extension ByteReader {
  fileprivate mutating func readAttempt() throws(WireError) -> UInt64 {
    let attempt = try readVarint()
    guard (1...FrameBounds.attemptsMax).contains(attempt) else { throw .malformed }
    return attempt
  }
}
