#if os(Linux) && canImport(Glibc)
  import CEarshotProcess
  import EarshotSimulator

  /// The reasons why a simulated process ends at a call of the C library or of Dispatch.
  struct Refusal {
    let reason: Int
    /// The function, and which of its uses.
    let name: String

    /// Ends the process, with the function, the reason and what to use in its place.
    func end() -> Never {
      guard reason != EARSHOT_REFUSED_LOCK else { ProcessExecutors.captured.refuseLock(name) }
      let (deed, advice) = explanation
      ProcessExecutors.captured.refuse("\(deed) (\(name)); \(advice)")
    }

    private var explanation: (deed: String, advice: String) {
      switch reason {
      case EARSHOT_REFUSED_SLEEP:
        ("sleeps without await, which stops everything", "use Task.sleep, or sleep(for:) of a host")
      case EARSHOT_REFUSED_WAIT:
        ("waits without await, which stops everything", "await a task or a stream of events")
      case EARSHOT_REFUSED_TIMER:
        ("uses a timer of the system, as run loops and POSIXHost do", "use Task.sleep in a task")
      case EARSHOT_REFUSED_THREAD: ("starts a real thread", "use a task")
      case EARSHOT_REFUSED_PROCESS:
        ("starts another process or program, which has no virtual time", "do that before the world")
      case EARSHOT_REFUSED_GROUP:
        ("moves the process to another group or session", "do that before the world")
      case EARSHOT_REFUSED_DISPATCH:
        ("uses a Dispatch queue, which is not simulated", "use tasks and actors")
      case EARSHOT_REFUSED_SOCKET:
        ("opens a socket of the system", "use a host of the world")
      case EARSHOT_REFUSED_TIMEOUT:
        ("gives a socket of the system a timeout", "use a host of the world and a task that sleeps")
      case EARSHOT_REFUSED_CLOCK:
        ("sets or reads a clock of the system past the world", "use Date(), clock_gettime or time")
      case EARSHOT_REFUSED_LOAD:
        ("reads how busy the machine is, which differs in each run", "do without that number")
      default: ("does something that cannot be simulated", "do without it")
      }
    }
  }
#endif
