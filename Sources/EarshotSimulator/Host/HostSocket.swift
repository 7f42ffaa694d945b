/// What a host's kernel keeps for its code: the sockets of every kind.
protocol HostSocket: AnyObject {
  /// Takes the socket out of the kernel; nothing is sent.
  func forget()
  /// Tells the handler, once the host's code runs, that the socket is gone.
  func fail(_ code: NetworkError.Code, errno: Int32)
}

extension SimulatedDatagramSocket: HostSocket {}
extension SimulatedConnection: HostSocket {}
extension SimulatedListener: HostSocket {}

extension SimulatedHost {
  /// All sockets, in an order that does not depend on how they are stored.
  private var allSockets: [any HostSocket] {
    let connections = connections.values.sorted {
      ($0.localEndpoint, $0.remoteEndpoint) < ($1.localEndpoint, $1.remoteEndpoint)
    }
    return sockets + listeners + connections
  }

  /// The kernel loses all sockets; nobody is told.
  func loseSockets() {
    let lost = allSockets
    for socket in lost { socket.forget() }
    defunct += lost
  }

  /// The kernel loses all sockets; their handlers are told as soon as the host's code runs.
  func abortSockets() {
    for socket in allSockets {
      socket.forget()
      socket.fail(.connectionAborted, errno: 103)
    }
  }

  /// The kernel loses all sockets, and every handler is told that the host is down.
  func shutDownSockets() {
    loseSockets()
    for socket in defunct { socket.fail(.hostDown, errno: 100) }
    defunct = []
  }
}
