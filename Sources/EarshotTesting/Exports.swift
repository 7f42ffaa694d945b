@_exported public import EarshotSimulator
