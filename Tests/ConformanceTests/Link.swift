import EarshotCore
import EarshotNetwork

/// A connection from Ann to Bob, seen from both sides.
struct Link: Sendable {
  let listener: any Listener
  let ann: any Connection
  let annSaw: ConnectionRecorder
  let bob: any Connection
  let bobSaw: ConnectionRecorder
}

extension TwoHosts {
  /// Has Bob listen and Ann connect, and waits until both sides are open.
  func link(
    options: ConnectionOptions = ConnectionOptions(),
    bobSeesBy makeRecorder: @escaping @Sendable () -> ConnectionRecorder = {
      ConnectionRecorder()
    }
  ) async throws -> Link {
    let accepting = ListenerRecorder(makeRecorder)
    let listener = try listen(accepting)
    let recorder = ConnectionRecorder()
    let connection = try connect(to: listener.localEndpoint.port, recorder, options: options)
    try await recorder.seen.wait { $0.isOpen }
    let accepted = try await accepting.seen.wait { !$0.accepted.isEmpty }.accepted[0]
    return Link(
      listener: listener, ann: connection, annSaw: recorder, bob: accepted.connection,
      bobSaw: accepted.recorder)
  }

  /// Has Bob listen on a free port.
  func listen(_ handler: ListenerRecorder) throws(NetworkError) -> any Listener {
    try bob.network.listen(on: Endpoint(bob.address, port: 0), handler: handler)
  }

  /// Has Ann connect to a port of Bob's.
  func connect(
    to port: UInt16, _ handler: ConnectionRecorder,
    options: ConnectionOptions = ConnectionOptions()
  ) throws(NetworkError) -> any Connection {
    try ann.network.connect(
      to: Endpoint(bob.address, port: port), options: options, handler: handler)
  }
}

/// The code of the error that a call throws, or `nil`.
func code(_ call: () throws(NetworkError) -> Void) -> NetworkError.Code? {
  do throws(NetworkError) {
    try call()
    return nil
  } catch {
    return error.code
  }
}
