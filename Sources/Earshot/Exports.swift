@_exported public import EarshotCore
@_exported public import EarshotNetwork
@_exported public import EarshotTLS
