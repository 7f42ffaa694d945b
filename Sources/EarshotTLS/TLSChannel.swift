import CEarshotTLS
import COpenSSL
package import EarshotCore

/// One end of a TLS 1.3 connection, whose transport is what its owner lends it.
///
/// Belongs to one thread at a time. What it seals is written straight to where the owner wants it; what it opens is lent
/// a record, at most 16 KiB, at a time.
package final class TLSChannel {
  /// The side of the handshake.
  package enum Role: Hashable, Sendable { case client, server }
  private enum State: Hashable {
    case handshaking, open
    /// The other side has said that it sends nothing more.
    case ended
    case failed
  }

  /// How many key updates the other side may ask for at once.
  package static let keyUpdatesMax = 8
  /// How many records earn it one more.
  package static let recordsPerKeyUpdate = 64
  /// How many records are sealed under one key.
  ///
  /// Far below 2^24.5 full records, where AES-GCM loses its margin (RFC 8446 §5.5).
  package static let recordsPerKey = 1 << 22

  /// The remote peer, from the key that has signed the handshake, once that is done.
  // Without the dynamic checks of exclusivity, which each record would pay for: all accesses are instantaneous.
  @exclusivity(unchecked) package private(set) var remote: PeerID?

  private let context: TLSContext
  private let memory: UnsafeMutablePointer<earshot_tls_memory>
  private let connection: OpaquePointer
  private let expected: PeerID?
  private var state = State.handshaking
  /// The other side's updates that have been earned, counted in records.
  private var patience = keyUpdatesMax * recordsPerKeyUpdate
  private let recordsPerKey: Int
  private var recordsUntilUpdate: Int
  /// The updates that this side has asked for and the other has not answered.
  private var updatesAsked = 0

  /// An end that has sent nothing yet.
  ///
  /// - Parameters:
  ///   - context: The local peer.
  ///   - role: The side of the handshake.
  ///   - expected: The peer that was dialled, or `nil` for any.
  ///   - recordsPerKey: How many records are sealed under one key at most.
  package init(
    _ context: TLSContext, as role: Role, expecting expected: PeerID?,
    recordsPerKey: Int = TLSChannel.recordsPerKey
  ) {
    (self.context, self.expected) = (context, expected)
    (self.recordsPerKey, recordsUntilUpdate) = (recordsPerKey, recordsPerKey)
    memory = .allocate(capacity: 1)
    memory.initialize(to: earshot_tls_memory())
    withUnsafeMutableBytes(of: &memory.pointee.local) { $0.copyBytes(from: context.id.bytes) }
    if let expected {
      withUnsafeMutableBytes(of: &memory.pointee.expected) { $0.copyBytes(from: expected.bytes) }
      memory.pointee.has_expected = true
    }
    connection = OpenSSL.make(
      "open a connection", earshot_tls_open(context.pointer, memory))
    switch role {
    case .client: SSL_set_connect_state(connection)
    case .server: SSL_set_accept_state(connection)
    }
  }

  deinit {
    SSL_free(connection)
    earshot_tls_drop_spill(memory)
    memory.deallocate()
  }

  private var certified: PeerID? {
    guard memory.pointee.has_remote else { return nil }
    return withUnsafeBytes(of: memory.pointee.remote) { PeerID($0) }
  }

  /// The version and the cipher that were agreed on, such as `TLSv1.3 TLS_AES_128_GCM_SHA256`.
  package var suite: String? {
    guard remote != nil, let cipher = SSL_get_current_cipher(connection) else { return nil }
    let version = String(cString: SSL_get_version(connection))
    return "\(version) \(String(cString: SSL_CIPHER_get_name(cipher)))"
  }

  /// Appends what the client says first; the server waits for it.
  package func start(into wire: inout [UInt8]) {
    _ = calling { SSL_do_handshake(connection) }
    takeSpill(into: &wire)
  }

  // MARK: Reading

  /// Takes in what arrived and lends the plaintext in it, record by record.
  ///
  /// - Throws: Why the channel is not to be trusted; what has been lent before is authentic.
  package func receive(
    _ bytes: Span<UInt8>, into wire: inout [UInt8], lending body: (Span<UInt8>) -> Void
  ) throws(SecureChannelError) {
    defer { takeSpill(into: &wire) }
    try bytes.withUnsafeBufferPointer { buffer throws(SecureChannelError) in
      memory.pointee.input = buffer.baseAddress
      memory.pointee.input_count = buffer.count
      defer {
        memory.pointee.input = nil
        memory.pointee.input_count = 0
      }
      if state == .handshaking { try shakeHands() }
      if state == .open { try openRecords(lending: body) }
    }
  }

  private func shakeHands() throws(SecureChannelError) {
    let (result, reason) = calling { SSL_do_handshake(connection) }
    switch reason {
    case SSL_ERROR_NONE:
      guard result == 1, let certified else { throw failed(.handshake("no certificate")) }
      guard memory.pointee.was_asked || SSL_is_server(connection) == 1 else {
        throw failed(.handshake("no certificate asked for"))
      }
      remote = certified
      state = .open
    case SSL_ERROR_WANT_READ: break
    default: throw failed(refusal ?? .handshake(OpenSSL.takeReason()))
    }
  }

  /// What was wrong with the certificate.
  private var refusal: SecureChannelError? {
    switch memory.pointee.verdict {
    case EARSHOT_CERTIFICATE_MALFORMED: .badCertificate
    case EARSHOT_CERTIFICATE_ELSEWHERE: .handshake("no application protocol")
    case EARSHOT_CERTIFICATE_OWN: .selfConnection
    case EARSHOT_CERTIFICATE_UNEXPECTED:
      if let expected, let found = certified {
        .wrongPeer(expected: expected, found: found)
      } else {
        .badCertificate
      }
    default: nil
    }
  }

  private func openRecords(
    lending body: (Span<UInt8>) -> Void
  ) throws(SecureChannelError) {
    // Without a part of a record before, no record has more than arrived.
    let isSmall = !hasMore(than: Self.smallBytesMax) && SSL_has_pending(connection) == 0
    let capacity = isSmall ? Self.smallBytesMax : Self.recordBytesMax
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) {
      record throws(SecureChannelError) in
      var stalls = 0
      keepsBuffers = isBusy || hasMore(than: Self.recordBytesMax)
      defer { keepsBuffers = isBusy }
      while state == .open, hasMore(than: 0) || keepsBuffers != isBusy {
        let rest = memory.pointee.input_count
        if rest == 0 { keepsBuffers = isBusy }  // What follows finds nothing, and frees them.
        let (count, reason) = calling {
          SSL_read(connection, record.baseAddress, CInt(record.count))
        }
        try charge(keyUpdates: Int(memory.pointee.key_updates), records: count > 0 ? 1 : 0)
        switch reason {
        case SSL_ERROR_NONE: body(UnsafeBufferPointer(rebasing: record.prefix(Int(count))).span)
        case SSL_ERROR_WANT_READ where !hasMore(than: 0): return
        // After a record that was none of the application's, which may be answered in a call of its own.
        case SSL_ERROR_WANT_READ:
          stalls = memory.pointee.input_count < rest ? 0 : stalls + 1
          if stalls > Self.stallsMax { throw failed(.badRecord("nothing of it is read")) }
        case SSL_ERROR_ZERO_RETURN: state = .ended
        default: throw failed(.badRecord(OpenSSL.takeReason()))
        }
      }
    }
  }

  /// Whether more bytes have arrived that OpenSSL has not taken.
  private func hasMore(than byteCount: Int) -> Bool { memory.pointee.input_count > byteCount }

  /// Bounds what the other side's key updates cost: OpenSSL answers as many as come.
  private func charge(keyUpdates: Int, records: Int) throws(SecureChannelError) {
    memory.pointee.key_updates = 0
    let answers = min(keyUpdates, updatesAsked)
    updatesAsked -= answers
    patience = min(patience + records, Self.keyUpdatesMax * Self.recordsPerKeyUpdate)
    patience -= (keyUpdates - answers) * Self.recordsPerKeyUpdate
    if patience < 0 { throw failed(.keyUpdates) }
  }

  /// Whether the other side has said that nothing more comes.
  package var hasEnded: Bool { state == .ended }

  /// The other side has closed its direction of the transport.
  ///
  /// - Throws: That it did so without saying first that nothing more comes: something may be missing.
  package func receiveEnd() throws(SecureChannelError) {
    guard state == .ended else { throw .truncated }
  }

  private func failed(_ error: SecureChannelError) -> SecureChannelError {
    state = .failed
    return error
  }

  // MARK: Writing

  /// Appends the records that carry some plaintext; nothing once the channel has failed.
  package func seal(_ plaintext: Span<UInt8>, into wire: inout [UInt8]) {
    guard state != .failed, plaintext.count > 0 else { return }
    let records = (plaintext.count + Self.recordBytesMax - 1) / Self.recordBytesMax
    if recordsUntilUpdate < records { updateKeys() }
    recordsUntilUpdate -= records
    write(upTo: plaintext.count + records * Self.overheadBytes + Self.updateBytes, to: &wire) {
      keepsBuffers = isBusy || records > 1
      let count = plaintext.withUnsafeBufferPointer { bytes in
        calling { SSL_write(connection, bytes.baseAddress, CInt(bytes.count)) }.result
      }
      if keepsBuffers != isBusy { SSL_free_buffers(connection) }
      keepsBuffers = isBusy
      if Int(count) != plaintext.count { state = .failed }
    }
  }

  /// Has this side and the other change their keys with what is sealed next.
  package func updateKeys() {
    guard state == .open else { return }
    recordsUntilUpdate = recordsPerKey
    updatesAsked += 1
    _ = calling { SSL_key_update(connection, SSL_KEY_UPDATE_REQUESTED) }
  }

  /// Appends that nothing more will come.
  package func finish(into wire: inout [UInt8]) {
    guard state == .open || state == .ended else { return }
    _ = calling { SSL_shutdown(connection) }
    takeSpill(into: &wire)
  }

  /// Has OpenSSL write behind the bytes that are there, without a copy in between.
  private func write(upTo count: Int, to wire: inout [UInt8], _ body: () -> Void) {
    takeSpill(into: &wire)
    wire.append(addingCapacity: count) { output in
      output.withUnsafeMutableBufferPointer { buffer, initialized in
        memory.pointee.output = buffer.baseAddress.map { $0 + initialized }
        memory.pointee.output_capacity = buffer.count - initialized
        memory.pointee.output_count = 0
        body()
        initialized += memory.pointee.output_count
        memory.pointee.output = nil
        memory.pointee.output_capacity = 0
        memory.pointee.output_count = 0
      }
    }
    takeSpill(into: &wire)
  }

  private func takeSpill(into wire: inout [UInt8]) {
    guard memory.pointee.spill_count > 0 else { return }
    wire += UnsafeBufferPointer(start: memory.pointee.spill, count: memory.pointee.spill_count)
    earshot_tls_drop_spill(memory)
  }

  // MARK: Secrets

  /// A secret that both ends, and no one else, have: the exporter of RFC 8446 §7.5.
  ///
  /// It covers the handshake up to the server's Finished, so not the client's certificate: mix in both identifiers.
  /// Key updates do not change it.
  ///
  /// - Precondition: The handshake is done.
  package func exportSecret(label: String, context: [UInt8] = [], count: Int) -> [UInt8] {
    precondition(remote != nil, "nothing is exported before the handshake is done")
    return OpenSSL.bytes(count, "export a secret") {
      SSL_export_keying_material(
        connection, $0, count, label, label.utf8.count, context, context.count, 1)
    }
  }

  /// The name of the cipher suite, as RFC 8446 §B.4 has it, once the handshake is done.
  package var cipherSuite: String? {
    SSL_CIPHER_get_name(SSL_get_current_cipher(connection)).map { String(cString: $0) }
  }

  // MARK: OpenSSL

  /// Whether records follow each other closely, so that the buffers of one are kept for the next.
  @exclusivity(unchecked) package var isBusy = false

  /// Whether OpenSSL keeps its buffers of a record until the next one, rather than nothing while the channel is idle.
  private var keepsBuffers = false {
    didSet {
      guard keepsBuffers != oldValue else { return }
      let command = keepsBuffers ? SSL_CTRL_CLEAR_MODE : SSL_CTRL_MODE
      SSL_ctrl(connection, command, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    }
  }

  /// Calls OpenSSL, whose queue of errors is the thread's, with nothing left of what was before.
  private func calling(_ body: () -> CInt) -> (result: CInt, reason: CInt) {
    if ERR_peek_error() != 0 { ERR_clear_error() }  // To clear an empty queue takes longer.
    let result = context.randomness.map { $0.around(body) } ?? body()
    return (result, SSL_get_error(connection, result))
  }

  private static let stallsMax = 4  // One is usual.
  private static let recordBytesMax = 16_384
  private static let smallBytesMax = 1_024  // More would be allocated, not on the stack.
  private static let overheadBytes = 22  // Header 5, content type 1, tag 16.
  private static let updateBytes = 64  // A key update is a record of 27 bytes.
}
