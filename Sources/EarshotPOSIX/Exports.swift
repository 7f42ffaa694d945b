@_exported public import EarshotNetwork
