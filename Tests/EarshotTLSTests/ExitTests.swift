import COpenSSL
import EarshotTLS
import Foundation
import Testing

@Suite("The end of a process")
struct ExitTests {
  @Test("Nothing of OpenSSL is freed at exit, where other threads may still use it")
  func exits() async {
    await #expect(processExitsWith: .exitCode(0)) {
      _ = Identity()
      // Called when OpenSSL frees what it has made.
      #expect(OPENSSL_atexit { _exit(42) } == 1)
      exit(0)
    }
  }
}
