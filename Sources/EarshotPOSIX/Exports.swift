// Of the boundary, programs need the host. The rest comes by an import of EarshotNetwork.
@_exported public import struct EarshotNetwork.HostClock
@_exported public import struct EarshotNetwork.NetworkError
@_exported public import protocol EarshotNetwork.NetworkHost
