/// Something that code of a host has begun, and has not ended.
public struct Leak: Hashable, Sendable, CustomStringConvertible {
  /// What can be left.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A UDP socket that is open.
    case datagramSocket
    /// A listening TCP socket.
    case listener
    /// A TCP connection that a handler holds.
    case connection
    /// A timer that is armed.
    case timer
    /// A task that was spawned on the host.
    case task
  }
  /// The name of the host.
  public let host: String
  /// What is left.
  public let kind: Kind
  /// Which one: its endpoints, its deadline in the time of the world, or its name.
  public let name: String
  /// The number of the event during which it was opened, armed or spawned, as in the trace; `nil` outside of events.
  public let origin: Int?

  init(_ kind: Kind, _ name: String, of host: String, since origin: Int) {
    (self.kind, self.name, self.host) = (kind, name, host)
    self.origin = origin < 0 ? nil : origin
  }

  /// `connection 10.0.0.1:7100 – 10.0.0.2:50000 of host 'ann', since event 12`.
  public var description: String {
    let noun = kind == .datagramSocket ? "datagram socket" : kind.rawValue
    return "\(noun) \(name) of host '\(host)'" + (origin.map { ", since event \($0)" } ?? "")
  }
}

extension World {
  /// What code of the hosts that have power has begun and not ended: sockets, connections, armed timers, tasks.
  ///
  /// Host by host, and of each host in the order of ``Leak/Kind``. When all that a test has started was stopped, and some
  /// time has passed, nothing is to be left:
  ///
  /// ```swift
  /// #expect(world.leaks == [])
  /// ```
  ///
  /// A connection that its handler has closed is none, though its kernel still sends what is left, or remembers it; nor
  /// is anything of a host that has crashed, or that code of the host was told is gone.
  public var leaks: [Leak] { hosts.filter(\.isUp).flatMap { $0.leaks } }
}

extension SimulatedHost {
  /// What the code of the host has begun and not ended.
  fileprivate var leaks: [Leak] {
    let timers = kernel.scheduler.armedTimers(of: process).map { timer, deadline in
      Leak(.timer, "due at \(deadline)", of: name, since: kernel.scheduler.cause(of: timer))
    }
    let tasks = waitingTasks.map { Leak(.task, "'\($0.name)'", of: name, since: $0.origin) }
    return kernel.leaks + timers + tasks
  }
}

extension HostKernel {
  fileprivate var leaks: [Leak] {
    let name = process.name
    return datagramSockets.all.map {
      Leak(.datagramSocket, "\($0.localEndpoint)", of: name, since: $0.origin)
    }
      + listeners.all.map { Leak(.listener, "\($0.localEndpoint)", of: name, since: $0.origin) }
      + connections.sorted.filter { $0.upcalls.handler != nil }.map {
        Leak(
          .connection, "\($0.localEndpoint) – \($0.remoteEndpoint)", of: name, since: $0.origin)
      }
  }
}
