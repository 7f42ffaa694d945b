#if os(Linux)
  import EarshotNetwork
  import EarshotPOSIX
  import Foundation

  /// A host in a network namespace of its own, which is the one of its event loop's thread and ends with it.
  struct NamespaceHost: Sendable {
    /// Holds the thread.
    let ground: POSIXHost
    let host: POSIXHost
    /// What frames of its interface are read from and written to.
    let device: Int32
    /// The last byte of its first address, 10.79.0.number.
    let number: Int

    init(number: Int, neighbour: Int) async throws {
      let ground = try POSIXHost(.loopback)
      (self.ground, self.number) = (ground, number)
      (host, device) = try await Task(executorPreference: ground.executor.task) {
        try NetworkNamespace.enterNew()
        let device = try NetworkNamespace.openDevice()
        let name = NetworkNamespace.interface
        try NetworkNamespace.ip("link set lo up")  // What the system tells itself goes over it.
        try NetworkNamespace.ip("link set \(name) address \(Self.hardwareAddress(number))")
        try NetworkNamespace.ip("addr add 10.79.0.\(number)/24 dev \(name)")
        try NetworkNamespace.ip("link set \(name) up")
        // What is cut off stays known, as it does for half a minute on any network.
        try NetworkNamespace.ip(
          "neigh replace 10.79.0.\(neighbour) lladdr \(Self.hardwareAddress(neighbour)) dev \(name)"
            + " nud permanent")
        let configuration = POSIXHost.Configuration(interfaces: [name])
        return (try POSIXHost(configuration, beside: ground), device)
      }.value
    }

    private static func hardwareAddress(_ number: Int) -> String { "02:00:00:00:00:0\(number)" }

    /// Does something in the namespace.
    func perform(_ body: @escaping @Sendable () throws -> Void) async throws {
      try await Task(executorPreference: ground.executor.task) { try body() }.value
    }

    func shutDown() async {
      await host.shutDown()
      await ground.shutDown()
    }
  }

  /// The namespace of the thread that calls.
  enum NetworkNamespace {
    struct Failure: Error {
      let call: String
      let number: Int32
    }

    static let interface = "cable"

    /// Whether this system lets the process make namespaces, and devices in them.
    static let areAvailable: Bool = {
      guard FileManager.default.isExecutableFile(atPath: ipPath) else { return false }
      let (answer, isKnown) = (Watched(false), DispatchSemaphore(value: 0))
      // The thread ends in its namespace.
      Thread {
        defer { isKnown.signal() }
        guard
          let device = try? {
            try enterNew(); return try openDevice()
          }()
        else { return }
        close(device)
        answer.update { $0 = true }
      }.start()
      isKnown.wait()
      return answer.state
    }()

    /// Makes a namespace for the thread, without IPv6.
    static func enterNew() throws {
      typealias Unshare = @convention(c) (Int32) -> Int32
      guard let address = dlsym(nil, "unshare") else {
        throw Failure(call: "unshare", number: ENOSYS)
      }
      let newNetwork: Int32 = 0x4000_0000  // CLONE_NEWNET
      guard unsafeBitCast(address, to: Unshare.self)(newNetwork) == 0 else {
        throw Failure(call: "unshare", number: errno)
      }
      for scope in ["all", "default"] { try? set("ipv6/conf/\(scope)/disable_ipv6", to: "1") }
      // As the simulator has it; Linux's default is 4,096 since 5.4.
      try set("core/somaxconn", to: "128")
    }

    /// Makes an interface whose frames the process carries.
    static func openDevice() throws -> Int32 {
      let device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard device >= 0 else { throw Failure(call: "open /dev/net/tun", number: errno) }
      var request = ifreq()
      withUnsafeMutableBytes(of: &request) { bytes in
        bytes.copyBytes(from: interface.utf8)
        bytes.storeBytes(of: 0x1002, toByteOffset: 16, as: Int16.self)  // IFF_TAP | IFF_NO_PI
      }
      let makeInterface: UInt = 0x4004_54CA  // TUNSETIFF
      guard ioctl(device, makeInterface, &request) == 0 else {
        defer { close(device) }
        throw Failure(call: "TUNSETIFF", number: errno)
      }
      return device
    }

    /// Sets a parameter of the namespace.
    static func set(_ parameter: String, to value: String) throws {
      let path = "/proc/sys/net/\(parameter)"
      guard let file = FileHandle(forWritingAtPath: path) else {
        throw Failure(call: path, number: errno)
      }
      try file.write(contentsOf: Data((value + "\n").utf8))
      try file.close()
    }

    /// Runs iproute2, which inherits the namespace of the thread.
    static func ip(_ words: String) throws {
      let arguments = ["ip"] + words.split(separator: " ").map(String.init)
      var pointers = arguments.map { strdup($0) } + [nil]
      defer { for pointer in pointers { free(pointer) } }
      var (process, status): (pid_t, Int32) = (0, 0)
      let failure = posix_spawn(&process, ipPath, nil, nil, &pointers, environ)
      guard failure == 0 else { throw Failure(call: "ip \(words)", number: failure) }
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      guard status == 0 else { throw Failure(call: "ip \(words)", number: status) }
    }

    private static let ipPath = "/usr/sbin/ip"
  }
#endif
