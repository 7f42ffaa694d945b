@_exported public import EarshotCore
