import CEarshot
package import EarshotNetwork

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The limit on the files and sockets that the process has open at once.
package enum DescriptorLimit {
  /// What a process is given that may raise its limit: some peers with their links and files.
  private static let wanted: UInt = 256
  /// With fewer, the runtime of the language ends the process without a message when it cannot open
  /// what it needs.
  private static let least: UInt = 20

  /// Raises the limit of the process as far as it may, if it is low.
  ///
  /// - Throws: `tooManyOpenFiles` if the process may have too few for a host.
  package static func secure() throws(NetworkError) {
    let count = UInt(earshot_raise_descriptor_limit(wanted))
    guard count < least else { return }
    throw NetworkError(
      .tooManyOpenFiles,
      call: "start a host: the process may open \(count) files, and needs \(least)",
      errno: EMFILE)
  }
}
