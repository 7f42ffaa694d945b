import Foundation

/// Keys and certificates that openssl has made, in a folder that is gone afterwards.
final class ProbeCertificates: Sendable {
  let folder = FileManager.default.temporaryDirectory.appending(path: "probe-\(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try selfSigned("good", ["-newkey", "ed25519"])
    try selfSigned("p256", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
    try selfSigned("rsa", ["-newkey", "rsa:2048"])
    try selfSigned("ed448", ["-newkey", "ed448"])
    let names = (0..<400).map { "DNS:a-rather-long-name-\($0).example" }.joined(separator: ",")
    try selfSigned("large", ["-newkey", "ed25519", "-addext", "subjectAltName=\(names)"])
    try Shell.run(
      "openssl", "req", "-new", "-newkey", "ed25519", "-nodes", "-subj", "/CN=leaf",
      "-keyout", path("leaf.key"), "-out", path("leaf.csr"))
    try Shell.run(
      "openssl", "x509", "-req", "-in", path("leaf.csr"), "-CA", path("good.crt"), "-CAkey",
      path("good.key"), "-CAcreateserial", "-days", "1", "-out", path("leaf.crt"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func selfSigned(_ name: String, _ key: [String]) throws {
    try Shell.run(
      ["openssl", "req", "-x509", "-nodes", "-days", "1", "-subj", "/CN=\(name)"] + key + [
        "-keyout", path("\(name).key"), "-out", path("\(name).crt"),
      ])
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func use(_ name: String) -> [String] {
    ["-cert", path("\(name).crt"), "-key", path("\(name).key")]
  }

  /// The words of a command line, with the names of certificates in place of their paths.
  func words(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init).flatMap { word in
      if word.hasSuffix(".crt") { return [path(word)] }
      return FileManager.default.fileExists(atPath: path("\(word).key")) ? use(word) : [word]
    }
  }
}
