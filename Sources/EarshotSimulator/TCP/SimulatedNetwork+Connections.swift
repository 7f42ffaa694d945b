extension SimulatedNetwork {
  /// Refused: this network carries datagrams.
  public func listen(
    on endpoint: Endpoint, handler: any ListenerHandler
  ) throws(NetworkError) -> any Listener {
    throw NetworkError(.permissionDenied, call: "listen \(endpoint)", errno: 13)
  }

  /// Refused: this network carries datagrams.
  public func connect(
    to endpoint: Endpoint, options: ConnectionOptions, handler: any ConnectionHandler
  ) throws(NetworkError) -> any Connection {
    throw NetworkError(.permissionDenied, call: "connect \(endpoint)", errno: 13)
  }
}
