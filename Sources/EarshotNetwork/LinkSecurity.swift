/// How the links of peers on a host are secured.
///
/// Real networks have one way, ``required``, and a program has no other to choose. Simulated hosts say what their
/// world is configured for.
public struct LinkSecurity: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case required, seeded, plain }
  package let kind: Kind

  /// TLS 1.3 both ways, with keys and randomness from the system.
  public static let required = LinkSecurity(kind: .required)
  /// TLS 1.3 both ways, with keys and randomness from the host's streams: one seed is one run.
  package static let seeded = LinkSecurity(kind: .seeded)
  /// Neither encrypted nor authenticated: for simulations, and for benchmarks that tell the costs apart.
  package static let plain = LinkSecurity(kind: .plain)
}
