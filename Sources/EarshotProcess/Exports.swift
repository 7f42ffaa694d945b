#if os(Linux) && canImport(Glibc)
  @_exported public import EarshotSimulator
#endif
