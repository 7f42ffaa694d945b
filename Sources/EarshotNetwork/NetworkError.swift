/// An operation that the system refused, or a connection that it gave up.
public struct NetworkError: Error, Hashable, Sendable {
  /// What went wrong, to switch on.
  ///
  /// Later versions may add codes.
  public struct Code: Hashable, Sendable {
    private enum Kind: String {
      case addressInUse, addressNotAvailable, brokenPipe, connectionAborted, connectionRefused
      case connectionReset, hostDown, hostUnreachable, invalidArgument, messageTooLong
      case networkUnreachable, noBufferSpace, notConnected, permissionDenied, timedOut
      case tooManyOpenFiles, other
    }
    private let kind: Kind

    /// The port is taken (EADDRINUSE).
    public static let addressInUse = Code(kind: .addressInUse)
    /// The address is not one of this host's (EADDRNOTAVAIL).
    public static let addressNotAvailable = Code(kind: .addressNotAvailable)
    /// The connection does not take bytes any more (EPIPE).
    public static let brokenPipe = Code(kind: .brokenPipe)
    /// The system itself ended the connection or took the socket away, as it does when an app is
    /// suspended (ECONNABORTED).
    public static let connectionAborted = Code(kind: .connectionAborted)
    /// No socket listens at the remote endpoint (ECONNREFUSED).
    public static let connectionRefused = Code(kind: .connectionRefused)
    /// The remote side ended the connection out of order (ECONNRESET).
    public static let connectionReset = Code(kind: .connectionReset)
    /// This host is not running any more (ENETDOWN).
    public static let hostDown = Code(kind: .hostDown)
    /// There is no route to the host (EHOSTUNREACH).
    public static let hostUnreachable = Code(kind: .hostUnreachable)
    /// An argument of the call is not valid (EINVAL).
    public static let invalidArgument = Code(kind: .invalidArgument)
    /// The datagram is larger than the system takes (EMSGSIZE).
    public static let messageTooLong = Code(kind: .messageTooLong)
    /// There is no route to the network (ENETUNREACH).
    public static let networkUnreachable = Code(kind: .networkUnreachable)
    /// The system's queue is full (ENOBUFS).
    public static let noBufferSpace = Code(kind: .noBufferSpace)
    /// The connection is not open (ENOTCONN).
    public static let notConnected = Code(kind: .notConnected)
    /// The system does not allow it (EACCES, EPERM).
    public static let permissionDenied = Code(kind: .permissionDenied)
    /// There was no answer in time (ETIMEDOUT).
    public static let timedOut = Code(kind: .timedOut)
    /// No descriptor is left (EMFILE, ENFILE).
    public static let tooManyOpenFiles = Code(kind: .tooManyOpenFiles)
    /// Any other error; see ``NetworkError/errno``.
    public static let other = Code(kind: .other)

    /// The code's name, as it is written in traces.
    public var name: String { kind.rawValue }
  }

  /// What went wrong.
  public let code: Code
  /// The call as it was made, such as `connect 10.0.0.7:7100`.
  public let call: String
  /// The system's own number, where there is one.
  public let errno: Int32?

  /// An error of a call.
  public init(_ code: Code, call: String, errno: Int32? = nil) {
    (self.code, self.call, self.errno) = (code, call, errno)
  }
}

extension NetworkError: CustomStringConvertible {
  /// `connect 10.0.0.7:7100: connectionRefused (errno 111)`.
  public var description: String {
    "\(call): \(code.name)" + (errno.map { " (errno \($0))" } ?? "")
  }
}
