/// A TCP connection.
///
/// After ``close()`` or ``reset()`` nothing is called back any more.
public protocol Connection: AnyObject, Sendable {
  /// The local address and port; the port is 0 until the connection is open.
  var localEndpoint: Endpoint { get }
  /// The address and port of the remote side.
  var remoteEndpoint: Endpoint { get }

  /// Hands bytes to the system, as many as its buffer takes now.
  ///
  /// - Parameter bytes: The bytes.
  /// - Returns: How many were taken. If fewer than given, also none, the handler hears
  ///   ``ConnectionHandler/connectionBecameWritable(_:)`` when there is room again.
  /// - Throws: `brokenPipe` after ``finishWriting()`` or once the connection has failed,
  ///   `notConnected` before it is open.
  func write(_ bytes: Span<UInt8>) throws(NetworkError) -> Int

  /// How far the transport got, as the system says at each call; the handler does not hear of it.
  var progress: TransportProgress { get }

  /// Ends the outbound direction once all that was written has been sent (FIN). Reading goes on.
  func finishWriting()

  /// Hands over no more bytes until ``resumeReading()``; the sender will be slowed down.
  ///
  /// It takes effect at once, also when it is called by the handler that is being handed bytes.
  func pauseReading()

  /// Hands over bytes again.
  func resumeReading()

  /// Ends the connection in order: what was written is still sent. Received bytes not yet handed over are
  /// lost, and the remote side then sees a reset, as with close(2).
  func close()

  /// Ends the connection at once; the remote side sees `connectionReset`.
  func reset()
}

/// An object that hears what happens to a connection, on the host's executor.
public protocol ConnectionHandler: AnyObject, Sendable {
  /// An outbound connection is open. Not called for accepted connections, which are open.
  func connectionOpened(_ connection: any Connection)

  /// Bytes arrived, in order, at most 64 KiB of them; they are lent for the time of the call.
  func connection(_ connection: any Connection, received bytes: Span<UInt8>)

  /// What has arrived was handed over, as far as one turn goes: behind one or more pieces of bytes, and before anything
  /// else is called.
  ///
  /// Not called once the connection was closed. Does nothing by default.
  func connectionReceivedAll(_ connection: any Connection)

  /// The remote side will send no more (FIN). Writing goes on.
  func connectionReceivedEnd(_ connection: any Connection)

  /// There is room for bytes again, after a write that was not taken whole.
  func connectionBecameWritable(_ connection: any Connection)

  /// The connection is gone, or was never made. The last call.
  func connection(_ connection: any Connection, failed error: NetworkError)
}

extension ConnectionHandler {
  /// Does nothing.
  public func connectionReceivedAll(_ connection: any Connection) {}
}

/// A socket that accepts TCP connections until it is closed.
public protocol Listener: AnyObject, Sendable {
  /// The local endpoint, with the port that was chosen.
  var localEndpoint: Endpoint { get }
  /// Closes the listener: no connection is accepted, and nothing called back any more. Accepted connections live on.
  func close()
}

/// An object that is handed accepted connections, on the host's executor.
public protocol ListenerHandler: AnyObject, Sendable {
  /// A connection is open.
  ///
  /// - Returns: The connection's handler, or `nil` to have it reset.
  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?

  /// The listener is gone, for instance because the host was suspended. The last call.
  func listener(_ listener: any Listener, failed error: NetworkError)
}
