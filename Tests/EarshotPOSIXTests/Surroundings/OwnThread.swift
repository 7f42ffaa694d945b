#if os(Linux)
  import Foundation

  /// A thread that ends with a body, and what Linux lets one thread of a process have for itself.
  enum OwnThread {
    struct Failure: Error {
      let call: String
      let number: Int32
    }

    /// Runs a body on a new thread.
    static func run<Result: Sendable>(
      _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
      try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
      }
    }

    /// Has the thread use files as a user without rights, if it uses them as root.
    static func becomeNobody() throws {
      typealias SetUser = @convention(c) (UInt32) -> Int32
      let setUser = unsafeBitCast(try function("setfsuid"), to: SetUser.self)
      if geteuid() == 0 { _ = setUser(65_534) }
    }

    // MARK: System calls

    /// A system call, by its number.
    enum SystemCall: UInt32 {
      #if arch(arm64)
        case flock = 32, ftruncate = 46, lseek = 62, openat = 56, pread = 67, pwrite = 68
        case renameat2 = 276, fsync = 82
      #else
        case flock = 73, ftruncate = 77, lseek = 8, openat = 257, pread = 17, pwrite = 18
        case renameat2 = 316, fsync = 74
      #endif
    }

    /// Has a system call of the thread fail from now on (seccomp).
    static func fail(_ call: SystemCall, with number: Int32) throws {
      struct Instruction {
        var code: UInt16
        var ifTrue: UInt8 = 0
        var ifFalse: UInt8 = 0
        var operand: UInt32
      }
      struct Program {
        var count: UInt16
        var instructions: UnsafeMutablePointer<Instruction>?
      }
      typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
      let control = unsafeBitCast(try function("prctl"), to: Control.self)
      var instructions = [
        Instruction(code: 0x20, operand: 0),  // Load the number of the call,
        Instruction(code: 0x15, ifFalse: 1, operand: call.rawValue),  // compare it,
        Instruction(code: 0x06, operand: 0x0005_0000 | UInt32(number)),  // fail,
        Instruction(code: 0x06, operand: 0x7FFF_0000),  // or go on.
      ]
      try instructions.withUnsafeMutableBufferPointer { buffer in
        var program = Program(count: UInt16(buffer.count), instructions: buffer.baseAddress)
        let place = withUnsafeMutablePointer(to: &program) { UInt(bitPattern: $0) }
        guard control(38, 1, 0, 0, 0) == 0,  // PR_SET_NO_NEW_PRIVS
          control(22, 2, place, 0, 0) == 0  // PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        else { throw Failure(call: "prctl", number: errno) }
      }
    }

    // MARK: Mounts

    /// Whether this process may make file systems that its other threads do not see.
    static let canMount: Bool = {
      let (outcome, isKnown) = (NSLock(), DispatchSemaphore(value: 0))
      nonisolated(unsafe) var answer = false
      Thread {
        defer { isKnown.signal() }
        outcome.withLock { answer = (try? leaveMounts()) != nil }
      }.start()
      isKnown.wait()
      return outcome.withLock { answer }
    }()

    /// Mounts a file system in memory for this thread alone.
    static func mountMemory(at path: String, byteCount: Int) throws {
      try leaveMounts()
      try mount("tmpfs", at: path, flags: 0, options: "size=\(byteCount)")
    }

    /// Lets what was mounted be read only.
    static func forbidWriting(at path: String) throws {
      try mount(nil, at: path, flags: 0x21, options: nil)  // MS_REMOUNT | MS_RDONLY
    }

    private static func leaveMounts() throws {
      typealias Unshare = @convention(c) (Int32) -> Int32
      let unshare = unsafeBitCast(try function("unshare"), to: Unshare.self)
      guard unshare(0x2_0000) == 0 else {  // CLONE_NEWNS
        throw Failure(call: "unshare", number: errno)
      }
      try mount(nil, at: "/", flags: 0x4_4000, options: nil)  // MS_REC | MS_PRIVATE
    }

    private static func mount(
      _ type: String?, at path: String, flags: UInt, options: String?
    ) throws {
      typealias Mount =
        @convention(c) (
          UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt,
          UnsafePointer<CChar>?
        ) -> Int32
      let mount = unsafeBitCast(try function("mount"), to: Mount.self)
      guard mount(type, path, type, flags, options) == 0 else {
        throw Failure(call: "mount \(path)", number: errno)
      }
    }

    private static func function(_ name: String) throws -> UnsafeMutableRawPointer {
      guard let address = dlsym(nil, name) else { throw Failure(call: name, number: ENOSYS) }
      return address
    }
  }
#endif
