import BenchmarkKit
import Foundation

/// A server of OpenSSH of its own, with keys and a configuration of its own, and `scp` to it.
final class SecureShell {
  private let folder: ScratchFolder
  private let port: UInt16
  private let server: ChildProcess
  private let core: Int?

  /// Starts the server; `nil` if OpenSSH is not installed.
  init?(_ processes: Processes, in folder: ScratchFolder) {
    let tools = ["/usr/sbin/sshd", "/usr/bin/scp", "/usr/bin/ssh-keygen"]
    guard tools.allSatisfy(FileManager.default.isExecutableFile) else { return nil }
    (self.folder, port, core) = (folder, Self.freePort, processes.first)
    for name in ["host", "user"] {
      ChildProcess(
        tools[2], ["-q", "-t", "ed25519", "-N", "", "-f", "\(folder.path)/\(name)"]
      ).finish()
    }
    let configuration = """
      Port \(port)
      ListenAddress 127.0.0.1
      HostKey \(folder.path)/host
      AuthorizedKeysFile \(folder.path)/user.pub
      PidFile none
      StrictModes no
      UsePAM no
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      PermitRootLogin yes
      Subsystem sftp internal-sftp

      """
    let path = "\(folder.path)/sshd_config"
    do {
      try configuration.write(toFile: path, atomically: false, encoding: .utf8)
    } catch {
      fail("\(error)")
    }
    // Without that folder, the server does not start as root.
    if getuid() == 0 { mkdir("/run/sshd", 0o755) }
    server =
      processes.start(1) { core in
        ChildProcess(tools[0], ["-D", "-e", "-f", path], core: core, isSilent: true)
      }[0]
  }

  deinit { server.kill() }

  /// Copies a file.
  ///
  /// - Returns: The seconds that it took, from the start of `scp` to its end.
  func copy(_ source: String, to destination: String) -> Double {
    let start = Machine.nanoseconds
    let options = [
      "BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null",
      "IdentitiesOnly=yes", "LogLevel=ERROR", "ConnectionAttempts=10",
    ]
    ChildProcess(
      "scp",
      ["-q", "-F", "none", "-c", "aes128-gcm@openssh.com", "-i", "\(folder.path)/user"]
        + ["-P", "\(port)"] + options.flatMap { ["-o", $0] } + [
          source, "127.0.0.1:\(destination)",
        ],
      core: core
    ).finish()
    return Double(Machine.nanoseconds - start) / 1e9
  }

  /// A port that nothing listens on.
  private static var freePort: UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
      }
    }
    require(isBound, "no free port")
    return UInt16(bigEndian: address.sin_port)
  }
}
