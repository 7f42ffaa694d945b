// Of the boundary, programs meet the host; the rest of it is the module EarshotNetwork.
@_exported public import struct EarshotNetwork.HostClock
@_exported public import struct EarshotNetwork.NetworkError
@_exported public import protocol EarshotNetwork.NetworkHost
