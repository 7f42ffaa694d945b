// The values that the interface speaks of. The boundary at the socket is the module EarshotNetwork, to be imported by
// those who have business with it: of it, programs meet the host on which a peer is.
@_exported public import EarshotCore
@_exported public import struct EarshotNetwork.HostClock
@_exported public import struct EarshotNetwork.NetworkError
@_exported public import protocol EarshotNetwork.NetworkHost
@_exported public import EarshotTLS
