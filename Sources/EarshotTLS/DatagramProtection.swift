package import EarshotCore

/// Seals and opens the datagrams between two peers, under keys that their link has agreed on.
///
/// ```
/// 0   1                   9                  17
/// +---+-------------------+-------------------+------------- … -+----------------+
/// | E | connection, 8     | counter, 8        | ciphertext      | tag, 16        |
/// +---+-------------------+-------------------+------------- … -+----------------+
/// ```
///
/// All numbers are big-endian. E is 4 (version 1 in the upper six bits) plus the epoch modulo 4. The connection is a number
/// that the receiver has chosen, so that one socket serves many peers. The counter begins at 0, never goes back, and is
/// mixed into the nonce; the first 17 bytes are authentic, too. An epoch ends after 2²² datagrams, or after ten minutes
/// as soon as the remote peer is known to have opened one of it: whoever receives knows the next epoch only, and none may
/// pass while nothing gets through. The next one's secret follows from its own and not the other way round.
///
/// Overtaken datagrams of the epoch before are opened for five seconds.
package struct DatagramProtection {
  /// Why a datagram is dropped, without a word to whoever has sent it.
  package enum Refusal: Error, Hashable, Sendable, CaseIterable {
    /// It is too short, of another version, or for another connection.
    case malformed
    /// It came before, or is too old to tell.
    case replayed
    /// It was not sealed by the remote peer.
    case forged
  }

  /// An authentic datagram, apart from its contents.
  package struct Opened: Hashable, Sendable {
    /// Whether none with a higher counter has come: where it came from is where the remote peer is.
    package let isNewest: Bool
  }

  /// How many bytes a datagram has besides its contents.
  package static let overheadBytes = headerBytes + PacketKey.tagBytes
  /// How many datagrams are sealed in an epoch; QUIC allows AES-GCM 2²³ (RFC 9001 §6.6).
  package static let epochDatagramsMax: UInt64 = 1 << 22
  /// How long an epoch lasts.
  package static let epochLifetime = Duration.seconds(600)
  /// How long the epoch before is remembered.
  package static let overlap = Duration.seconds(5)

  static let headerBytes = 17
  private static let version: UInt8 = 1 << 2

  /// A secret of one direction, and the key of its epoch.
  private struct Epoch {
    let number: UInt64
    let key: PacketKey
    private let secret: [UInt8]
    private let use: PacketKey.Use

    init(_ secret: [UInt8], _ number: UInt64, for use: PacketKey.Use) {
      (self.secret, self.number, self.use) = (secret, number, use)
      key = PacketKey(
        key: Self.expand(secret, "key", PacketKey.keyBytes),
        nonce: Self.expand(secret, "iv", PacketKey.nonceBytes), for: use)
    }

    var next: Epoch {
      Epoch(Self.expand(secret, "next", KeyDerivation.hashBytes), number + 1, for: use)
    }

    var bits: UInt8 { UInt8(number % 4) }

    private static func expand(_ secret: [UInt8], _ label: String, _ count: Int) -> [UInt8] {
      KeyDerivation.expand(
        secret, info: Array("earshot datagram v1 \(label)".utf8), count: count)
    }
  }

  private let localConnection: UInt64
  private let remoteConnection: UInt64
  private let epochDatagramsMax: UInt64
  private var sending: Epoch
  private var counter: UInt64 = 0
  private var epochBegan: (counter: UInt64, time: Instant)
  private var receiving: Epoch
  /// Made once, however many forgeries claim to be of it.
  private var upcoming: Epoch?
  private var previous: (epoch: Epoch, until: Instant)?
  private var window = ReplayWindow()

  /// The protection of one end.
  ///
  /// - Parameters:
  ///   - secrets: 32 bytes for what is sent and 32 for what is received; the remote peer has them the other way round.
  ///   - localConnection: What this end has chosen to be addressed by.
  ///   - remoteConnection: What the remote peer has.
  ///   - now: The time.
  ///   - epochDatagramsMax: How many datagrams are sealed in an epoch at most.
  package init(
    secrets: (sending: [UInt8], receiving: [UInt8]), localConnection: UInt64,
    remoteConnection: UInt64, at now: Instant,
    epochDatagramsMax: UInt64 = DatagramProtection.epochDatagramsMax
  ) {
    (self.localConnection, self.remoteConnection) = (localConnection, remoteConnection)
    self.epochDatagramsMax = epochDatagramsMax
    sending = Epoch(secrets.sending, 0, for: .sealing)
    receiving = Epoch(secrets.receiving, 0, for: .opening)
    epochBegan = (0, now)
  }

  /// The two ends of a link, as the peers that they are and the connections that they have chosen.
  package struct Ends: Sendable {
    private let dialler, listener: (peer: PeerID, connection: UInt64)
    fileprivate let isDialler: Bool
    fileprivate let local, remote: UInt64

    /// The ends as one of them sees them.
    package init(
      local: (PeerID, UInt64), remote: (PeerID, UInt64), isDialler: Bool
    ) {
      dialler = isDialler ? local : remote
      listener = isDialler ? remote : local
      (self.isDialler, self.local, self.remote) = (isDialler, local.1, remote.1)
    }

    /// What the secret depends on beside the channel: who has dialled, and both connections.
    package var context: [UInt8] {
      var writer = ByteWriter(dialler.peer.bytes + listener.peer.bytes)
      writer.write(dialler.connection)
      writer.write(listener.connection)
      return writer.bytes
    }
  }

  /// What the secret of two ends is exported as.
  package static let exportLabel = "EXPERIMENTAL earshot datagram v1"
  /// How long it is: half of it is for each direction, the dialler's first.
  package static let secretBytes = 2 * KeyDerivation.hashBytes

  /// The protection of one end.
  ///
  /// - Parameters:
  ///   - secret: What the channel of their link exports for the two ends.
  ///   - ends: The two ends.
  ///   - now: The time.
  package init(_ secret: [UInt8], between ends: Ends, at now: Instant) {
    precondition(secret.count == Self.secretBytes, "a secret of \(secret.count) bytes")
    let fromDialler = Array(secret.prefix(KeyDerivation.hashBytes))
    let fromListener = Array(secret.suffix(KeyDerivation.hashBytes))
    self.init(
      secrets: ends.isDialler ? (fromDialler, fromListener) : (fromListener, fromDialler),
      localConnection: ends.local, remoteConnection: ends.remote, at: now)
  }

  /// The connection that a datagram is for, if it is one of this version.
  package static func connection(of datagram: Span<UInt8>) -> UInt64? {
    guard datagram.count >= overheadBytes, datagram[0] & ~3 == version else { return nil }
    return number(in: datagram, at: 1)
  }

  // MARK: Sending

  /// Appends the datagram that carries some plaintext.
  package mutating func seal(
    _ plaintext: Span<UInt8>, at now: Instant, into datagram: inout [UInt8]
  ) {
    if counter - epochBegan.counter >= epochDatagramsMax { beginEpoch(at: now) }
    var header = InlineArray<17, UInt8>(repeating: Self.version | sending.bits)
    for index in 0..<8 {
      header[1 + index] = UInt8(truncatingIfNeeded: remoteConnection >> (56 - 8 * index))
      header[9 + index] = UInt8(truncatingIfNeeded: counter >> (56 - 8 * index))
    }
    datagram.append(copying: header.span)
    sending.key.seal(plaintext, counter: counter, header: header.span, into: &datagram)
    counter += 1
  }

  private mutating func beginEpoch(at now: Instant) {
    sending = sending.next
    epochBegan = (counter, now)
  }

  /// Whether the epoch of what is sealed has lasted for ten minutes.
  package func isEpochOld(at now: Instant) -> Bool {
    now - epochBegan.time >= Self.epochLifetime
  }

  /// The remote peer has opened what was sealed lately: an epoch that is old gives way to the next.
  package mutating func noteOpenedByRemote(at now: Instant) {
    if isEpochOld(at: now) { beginEpoch(at: now) }
  }

  // MARK: Receiving

  /// Replaces the contents of a buffer by those of a datagram.
  ///
  /// - Throws: Why it is dropped; the buffer is empty then, and nothing else has changed.
  package mutating func open(
    _ datagram: Span<UInt8>, at now: Instant, into plaintext: inout [UInt8]
  ) throws(Refusal) -> Opened {
    plaintext.removeAll(keepingCapacity: true)
    guard Self.connection(of: datagram) == localConnection else { throw .malformed }
    let counter = Self.number(in: datagram, at: 9)
    guard counter < .max, window.admits(counter) else { throw .replayed }
    guard let epoch = epoch(of: datagram[0] & 3, at: now) else { throw .forged }
    let header = datagram.extracting(..<Self.headerBytes)
    let sealed = datagram.extracting(Self.headerBytes...)
    guard epoch.key.open(sealed, counter: counter, header: header, into: &plaintext) else {
      throw .forged
    }
    if epoch.number > receiving.number {
      previous = (receiving, now + Self.overlap)
      (receiving, upcoming) = (epoch, nil)
    }
    let isNewest = window.isNewest(counter)
    window.insert(counter)
    return Opened(isNewest: isNewest)
  }

  /// The epoch that two bits mean: this one, the next, or the one before while it is remembered.
  private mutating func epoch(of bits: UInt8, at now: Instant) -> Epoch? {
    if bits == receiving.bits { return receiving }
    if let previous {
      if now >= previous.until {
        self.previous = nil
      } else if bits == previous.epoch.bits {
        return previous.epoch
      }
    }
    guard bits == (receiving.bits + 1) % 4 else { return nil }
    let next = upcoming ?? receiving.next
    upcoming = next
    return next
  }

  private static func number(in datagram: Span<UInt8>, at offset: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in offset..<offset + 8 { value = value << 8 | UInt64(datagram[index]) }
    return value
  }
}
