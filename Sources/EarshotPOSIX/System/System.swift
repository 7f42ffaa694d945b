import CEarshot
import EarshotNetwork

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the system answered to a call that failed.
struct SystemFailure: Error, Hashable {
  let number: Int32

  /// The failure of the last call of this thread.
  static var last: SystemFailure { SystemFailure(number: errno) }

  static let networkDown = SystemFailure(number: ENETDOWN)
  static let inProgress = SystemFailure(number: EINPROGRESS)
  static let timedOut = SystemFailure(number: ETIMEDOUT)
  static let brokenPipe = SystemFailure(number: EPIPE)
  static let notConnected = SystemFailure(number: ENOTCONN)
  static let refused = SystemFailure(number: ECONNREFUSED)
  static let invalidArgument = SystemFailure(number: EINVAL)
  static let aborted = SystemFailure(number: ECONNABORTED)
  static let tooLong = SystemFailure(number: EMSGSIZE)

  /// Nothing there now, or no room now.
  var isTemporary: Bool { number == EAGAIN || number == EWOULDBLOCK }
  /// What became of a connection, not what is wrong with the call that began it.
  var concernsRemote: Bool {
    [ECONNREFUSED, ECONNRESET, ETIMEDOUT, EHOSTUNREACH, EHOSTDOWN].contains(number)
  }
  var isOutOfBuffers: Bool { number == ENOBUFS || number == ENOMEM }
  var isOutOfDescriptors: Bool { number == EMFILE || number == ENFILE }
  /// The kernel or the device cannot split what is sent into datagrams.
  var isUnsupported: Bool { number == EIO || number == EINVAL || number == EOPNOTSUPP }
  /// What was accepted is gone already: the next one may be there.
  var concernsOneConnection: Bool {
    [ECONNABORTED, EPROTO, ENETDOWN, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH].contains(number)
  }

  /// The failure as the boundary tells it.
  func error(_ call: @autoclosure () -> String) -> NetworkError {
    NetworkError(code, call: call(), errno: number)
  }

  private var code: NetworkError.Code {
    switch number {
    case EADDRINUSE: .addressInUse
    case EADDRNOTAVAIL, ENODEV: .addressNotAvailable
    case EPIPE: .brokenPipe
    case ECONNABORTED: .connectionAborted
    case ECONNREFUSED: .connectionRefused
    case ECONNRESET: .connectionReset
    case EHOSTUNREACH, EHOSTDOWN: .hostUnreachable
    case EINVAL, EAFNOSUPPORT: .invalidArgument
    case EMSGSIZE: .messageTooLong
    case ENETUNREACH, ENETDOWN: .networkUnreachable
    case ENOBUFS, ENOMEM, EAGAIN, EWOULDBLOCK: .noBufferSpace
    case ENOTCONN: .notConnected
    case EACCES, EPERM: .permissionDenied
    case ETIMEDOUT: .timedOut
    case EMFILE, ENFILE: .tooManyOpenFiles
    default: .other
    }
  }
}

/// The calls of the system, each as it is but for its errors: an interrupted one is made again.
enum System {
  /// Makes a call until no signal interrupts it.
  @discardableResult
  static func check<Number: SignedInteger>(_ call: () -> Number) throws(SystemFailure) -> Number {
    while true {
      let result = call()
      if result >= 0 { return result }
      guard errno == EINTR else { throw .last }
    }
  }

  /// Nanoseconds since some time in the past, also while the computer sleeps.
  static var now: Int64 {
    var time = timespec()
    #if canImport(Darwin)
      clock_gettime(CLOCK_MONOTONIC, &time)
    #else
      clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// How many nanoseconds the computer has slept since that time.
  static var asleep: Int64 {
    var time = timespec()
    #if canImport(Darwin)
      clock_gettime(CLOCK_UPTIME_RAW, &time)
    #else
      clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return now - (Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  // MARK: Descriptors

  /// Not made again after an interruption: the descriptor is gone even so.
  static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// A descriptor that does nothing, to be given up when there are no others.
  static func openSpare() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

  static func receive(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemFailure) -> Int {
    try check { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
  }

  /// What reads whatever there is and needs none of it.
  static func drain(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) {
    while let count = try? check({ read(descriptor, buffer.baseAddress, buffer.count) }), count > 0
    {}
  }

  static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int {
    try bytes.withUnsafeBytes { bytes throws(SystemFailure) in
      try check { Self.send(descriptor, bytes) }
    }
  }

  private static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)  // SO_NOSIGPIPE is set.
    #elseif canImport(Musl)
      Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #else
      Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
  }

  /// How far a connection's transport got; nothing of it where the system does not say.
  static func progress(_ descriptor: Int32) -> TransportProgress {
    var progress = earshot_progress()
    guard earshot_ask_progress(descriptor, &progress) == 0 else { return TransportProgress() }
    let roundTrip = progress.least_round_trip_us
    return TransportProgress(
      unacknowledgedBytes: Int(progress.unacknowledged_bytes),
      deliveredCount: progress.delivered, arrivedCount: progress.arrived,
      leastRoundTrip: roundTrip == 0 ? nil : .microseconds(Int64(roundTrip)),
      retransmissionCount: progress.retransmissions)
  }

  /// Frees the port of a listener, and refuses who comes, also while another process has a copy of
  /// the descriptor.
  static func stopListening(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Sends no more on a connection.
  static func finishWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  // MARK: Sockets

  enum Kind { case stream, datagram }

  /// Opens a socket, and closes it if it cannot be prepared.
  static func openSocket(
    _ address: IPAddress, _ kind: Kind, _ prepare: (Int32) throws(SystemFailure) -> Void
  ) throws(SystemFailure) -> Int32 {
    #if canImport(Glibc)
      let type = kind == .stream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue
    #else
      let type = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
    #endif
    let descriptor = try check {
      earshot_open_socket(address.family.number, Int32(type))
    }
    do throws(SystemFailure) {
      try prepare(descriptor)
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  static func bind(_ descriptor: Int32, _ endpoint: Endpoint) throws(SystemFailure) {
    try SocketAddress(endpoint).withPointer { pointer, length throws(SystemFailure) in
      #if canImport(Glibc)
        _ = try check { Glibc.bind(descriptor, pointer, length) }
      #elseif canImport(Musl)
        _ = try check { Musl.bind(descriptor, pointer, length) }
      #else
        _ = try check { Darwin.bind(descriptor, pointer, length) }
      #endif
    }
  }

  /// Takes a port that others may have as well.
  ///
  /// A program that looks whether a port is free may hold it alone for a moment, as ``datagramSocketCount(at:)`` does not.
  /// So the port is asked for again, for some 40 ms.
  static func bindShared(_ descriptor: Int32, _ endpoint: Endpoint) throws(SystemFailure) {
    for _ in 0..<20 {
      do throws(SystemFailure) { return try bind(descriptor, endpoint) } catch {
        guard error.number == EADDRINUSE else { throw error }
        usleep(2_000)
      }
    }
    try bind(descriptor, endpoint)
  }

  static func listen(_ descriptor: Int32) throws(SystemFailure) {
    #if canImport(Glibc)
      try check { Glibc.listen(descriptor, Int32(SOMAXCONN)) }
    #elseif canImport(Musl)
      try check { Musl.listen(descriptor, Int32(SOMAXCONN)) }
    #else
      try check { Darwin.listen(descriptor, Int32(SOMAXCONN)) }
    #endif
  }

  /// Begins to connect; an interrupted call goes on by itself.
  static func connect(_ descriptor: Int32, _ endpoint: Endpoint) throws(SystemFailure) {
    try SocketAddress(endpoint).withPointer { pointer, length throws(SystemFailure) in
      #if canImport(Glibc)
        let result = Glibc.connect(descriptor, pointer, length)
      #elseif canImport(Musl)
        let result = Musl.connect(descriptor, pointer, length)
      #else
        let result = Darwin.connect(descriptor, pointer, length)
      #endif
      if result != 0 { throw errno == EINTR ? .inProgress : .last }
    }
  }

  /// Whether the routes of the system lead to an address by another interface than one; not where
  /// its scope decides.
  static func leads(to address: IPAddress, elsewhereThan interface: UInt32) -> Bool {
    if case .v6 = address, address.isLinkLocal { return false }
    return SocketAddress(Endpoint(address, port: 0)).withPointer { pointer, _ in
      let index = earshot_route_interface(pointer)
      return index != 0 && index != interface
    }
  }

  /// Has what a socket sends leave by one interface.
  static func keep(_ descriptor: Int32, to interface: UInt32) throws(SystemFailure) {
    try check { earshot_bind_to_interface(descriptor, interface) }
  }

  static func accept(
    _ listener: Int32
  ) throws(SystemFailure) -> (descriptor: Int32, remote: Endpoint) {
    var address = SocketAddress()
    let descriptor = try check { earshot_accept(listener, &address.storage, &address.length) }
    return (descriptor, address.endpoint ?? Endpoint(.anyV4, port: 0))
  }

  static func localEndpoint(_ descriptor: Int32) -> Endpoint? {
    SocketAddress { getsockname(descriptor, $0, $1) }?.endpoint
  }

  /// Why a connection failed, if it did; the system forgets it by telling.
  static func pendingFailure(_ descriptor: Int32) -> SystemFailure? {
    var number: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { return .last }
    return number == 0 ? nil : SystemFailure(number: number)
  }

  // MARK: Options

  enum Option {
    case reuseAddress, reusePort, noDelay, ipv6Only
    /// Bytes; Linux doubles them for what it needs itself.
    case receiveBuffer
    /// Milliseconds.
    case userTimeout
    case hops(IPAddress.Family)
    case multicastHops(IPAddress.Family)
    case multicastLoop(IPAddress.Family)

    fileprivate var names: (level: Int32, name: Int32) {
      switch self {
      case .reuseAddress: (SOL_SOCKET, SO_REUSEADDR)
      case .reusePort: (SOL_SOCKET, SO_REUSEPORT)
      case .receiveBuffer: (SOL_SOCKET, SO_RCVBUF)
      case .noDelay: (Int32(IPPROTO_TCP), TCP_NODELAY)
      case .ipv6Only: (Int32(IPPROTO_IPV6), IPV6_V6ONLY)
      case .userTimeout:
        #if canImport(Darwin)
          (Int32(IPPROTO_TCP), 0x80)  // TCP_RXT_CONNDROPTIME, in seconds.
        #else
          (Int32(IPPROTO_TCP), 18)  // TCP_USER_TIMEOUT
        #endif
      case .hops(.v4): (Int32(IPPROTO_IP), Int32(IP_TTL))
      case .hops(.v6): (Int32(IPPROTO_IPV6), Int32(IPV6_UNICAST_HOPS))
      case .multicastHops(.v4): (Int32(IPPROTO_IP), Int32(IP_MULTICAST_TTL))
      case .multicastHops(.v6): (Int32(IPPROTO_IPV6), Int32(IPV6_MULTICAST_HOPS))
      case .multicastLoop(.v4): (Int32(IPPROTO_IP), Int32(IP_MULTICAST_LOOP))
      case .multicastLoop(.v6): (Int32(IPPROTO_IPV6), Int32(IPV6_MULTICAST_LOOP))
      }
    }
  }

  static func set(_ descriptor: Int32, _ option: Option, to value: Int32) throws(SystemFailure) {
    try set(descriptor, option.names.level, option.names.name, to: value)
  }

  /// Sets an option to one of the system's own records.
  private static func set<Value>(
    _ descriptor: Int32, _ level: Int32, _ name: Int32, to value: Value
  ) throws(SystemFailure) {
    try withUnsafeBytes(of: value) { bytes throws(SystemFailure) in
      _ = try check {
        setsockopt(descriptor, level, name, bytes.baseAddress, socklen_t(bytes.count))
      }
    }
  }

  /// Has ``close(_:)`` reset a connection instead of ending it in order.
  static func makeCloseReset(_ descriptor: Int32) {
    try? set(descriptor, SOL_SOCKET, SO_LINGER, to: linger(l_onoff: 1, l_linger: 0))
  }

  static func joinGroup(
    _ descriptor: Int32, _ group: IPAddress, on interface: UInt32, leaving: Bool = false
  ) throws(SystemFailure) {
    switch group {
    case .v4(let bits):
      var request = ip_mreqn()
      request.imr_multiaddr.s_addr = bits.bigEndian
      request.imr_ifindex = Int32(bitPattern: interface)  // No interface has a negative one.
      let name = leaving ? IP_DROP_MEMBERSHIP : IP_ADD_MEMBERSHIP
      try set(descriptor, Int32(IPPROTO_IP), Int32(name), to: request)
    case .v6:
      var request = ipv6_mreq()
      request.ipv6mr_multiaddr = SocketAddress.address(of: group)
      request.ipv6mr_interface = numericCast(interface)
      let name = leaving ? IPV6_LEAVE_GROUP : IPV6_JOIN_GROUP
      try set(descriptor, Int32(IPPROTO_IPV6), Int32(name), to: request)
    }
  }

  /// Whether joining a group failed because the socket is a member already.
  static func isMember(_ failure: SystemFailure) -> Bool { failure.number == EADDRINUSE }

  // MARK: Memory

  /// Has the C library keep some megabytes that were freed instead of giving them back to the system at once.
  ///
  /// Left alone, glibc gives the end of a heap back as soon as it is 128 KiB: a reader of messages of 64 KiB
  /// then takes sixteen page faults for each, a quarter of its time. It raises that bound to twice the size of
  /// the largest block that it has seen freed (mallopt(3), M_MMAP_THRESHOLD), so a large one is freed.
  static func keepFreedMemory() {
    #if canImport(Glibc)
      earshot_allocate_and_free(keptBytes / 2)
    #endif
  }

  private static let keptBytes = 8 << 20

  // MARK: Threads

  /// Starts a thread that is not waited for.
  static func startThread(_ name: String, _ body: @escaping @Sendable () -> Void)
    throws(SystemFailure)
  {
    final class Body {
      let name: String
      let run: @Sendable () -> Void
      init(_ name: String, _ run: @escaping @Sendable () -> Void) {
        (self.name, self.run) = (name, run)
      }
    }
    let argument = Unmanaged.passRetained(Body(name, body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
      var thread: pthread_t?
      let result = pthread_create(
        &thread, &attributes,
        { context in
          let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
          earshot_name_thread(body.name)
          body.run()
          return nil
        }, argument.toOpaque())
    #else
      var thread = pthread_t()
      let result = pthread_create(
        &thread, &attributes,
        { context in
          guard let context else { return nil }
          let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
          earshot_name_thread(body.name)
          body.run()
          return nil
        }, argument.toOpaque())
    #endif
    guard result == 0 else {
      argument.release()
      throw SystemFailure(number: result)
    }
  }
}
