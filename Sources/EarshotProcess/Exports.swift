#if os(Linux)
  @_exported public import EarshotSimulator
#endif
