import Earshot
import EarshotCommandLine
import Foundation
import Testing

@Suite("The command identity")
struct IdentityCommandTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// A place for a file.
  private var path: String { "\(folder.path)/me.pem" }

  @Test("It makes an identity once, and shows the same one from then on")
  func create() throws {
    let missing = Shell()
    #expect(missing.run("identity", path) == .violated)
    #expect(missing.err.contains("--create makes a new identity"))
    let first = Shell()
    #expect(first.run("identity", path, "--create") == .held)
    let id = try #require(PeerID(first.out.trimmingCharacters(in: .newlines)))
    for words in [["identity", path], ["identity", path, "--create", "--verify", "\(id)"]] {
      let again = Shell()
      #expect(again.run(words) == .held)
      #expect(again.out == first.out)
    }
    #expect(try FileIdentityStore(path: path).load()?.id == id)
  }

  @Test("It says when an identity is not the one that it should be")
  func verify() throws {
    #expect(Shell().run("identity", path, "--create") == .held)
    let other = Shell()
    #expect(other.run("identity", path, "--verify", "\(Identity().id)") == .violated)
    #expect(other.err.contains("that is another identity"))
    let wrong = Shell()
    #expect(wrong.run("identity", path, "--verify", "abc") == .usage)
    #expect(wrong.err.contains("--verify takes the 52 characters"))
  }

  @Test("The public key is what openssl reads; nothing that is printed is secret")
  func publicKey() throws {
    #expect(Shell().run("identity", path, "--create") == .held)
    let identity = try #require(try FileIdentityStore(path: path).load())
    let (key, json) = (Shell(), Shell())
    #expect(key.run("identity", path, "--public-key") == .held)
    #expect(key.out == identity.publicKeyPEM)
    #expect(json.run("identity", path, "--json") == .held)
    let object =
      try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: String]
    #expect(
      object == [
        "id": "\(identity.id)", "short": identity.id.short,
        "publicKey": try #require(identity.publicKeyPEM),
      ])
    for shell in [key, json] { #expect(!shell.out.contains("PRIVATE")) }
  }

  @Test("A file that others may read, and none at all, are refused with the reason")
  func refused() throws {
    #expect(Shell().run("identity", path, "--create") == .held)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let open = Shell()
    #expect(open.run("identity", path) == .violated)
    #expect(open.err.contains("chmod 600"))
    #expect(open.out.isEmpty)
    #expect(Shell().run("identity", path + "/no/such/folder", "--create") == .violated)
    #expect(Shell().run("identity", "/no/such/folder/me.pem", "--create") == .unwritten)
    #expect(Shell().run("identity") == .usage)
    #expect(Shell().run("identity", "a", "b") == .usage)
  }
}
