/// What a program demands of the encryption of a session's links.
///
/// It is no choice between protocols. All links of real networks, and of simulated worlds that are secure, are
/// encrypted with TLS 1.3, whatever both sides prefer; ``Session/security(of:)`` tells what was achieved. Links are
/// plain in simulated worlds that do not ask for TLS, and nowhere else: there a session that requires encryption cannot
/// be made.
///
/// The preference stays on this side. Remote peers do not hear of it, nothing that they say changes it, and nothing is
/// tried again in a weaker way.
public enum EncryptionPreference: String, Hashable, Sendable, Codable, CaseIterable {
  /// Links are encrypted where they can be.
  case optional
  /// Links are encrypted, or there is no session.
  case required
}
