/// What the system tells the program of a host.
public enum SystemNotice: Hashable, Sendable {
  /// The program will be suspended when so much time has passed.
  case willSuspend(grace: Duration)
  /// The program runs again, after a suspension or instead of one.
  case didResume
  /// The program is to end; its host's power fails when so much time has passed.
  case willTerminate(within: Duration)
  /// The user wants the program to be invisible for others.
  case hide
  /// The user wants the program to be visible again.
  case show
}

/// The start of a host: the first one, or one after a crash.
public struct HostStart: Hashable, Sendable {
  /// How often the host has been started before.
  public let number: Int
  /// Whether what its program stored before is gone.
  public let isErased: Bool
}
