import CEarshot
import Dispatch
import EarshotPOSIX
import EarshotProcess
import Foundation
import FoundationNetworking
import Glibc
import Synchronization

/// What cannot be simulated.
enum Misdeed {
  static let all: [String: @Sendable () async throws -> Void] = [
    "dispatch": { DispatchQueue.global().async {} },
    "after": { DispatchQueue.main.asyncAfter(deadline: .now() + 1) {} },
    "thread": { await Task(name: "spinner") { Thread.detachNewThread {} }.value },
    "usleep": { usleep(1) },
    "sleep": { nap() },
    "socket": { _ = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) },
    "host": { _ = try POSIXHost() },
    "semaphore": { wait() },
    "condition": { block() },
    "poll": { pollTwice() },
    "select": { select(0, nil, nil, nil, nil) },
    "epoll": { _ = earshot_poll_wait(-1, nil, 1, 1) },
    "alarm": { alarm(1) },
    "timer": { await runLoop() },
    "session": { try await download() },
    "spin": { spin() },
    "mutex": { await Task(name: "locker") { lockTwice() }.value },
    "lock": { lockTwice(NSLock()) },
    "recursive": { lockTwice(NSRecursiveLock()) },
    "global": { _ = First.number },
    "crash": { crash() },
    "assume": { await Task.detached { assume() }.value },
  ]

  private static func wait() {
    let semaphore = DispatchSemaphore(value: 1)
    semaphore.wait()
    print("one wait", semaphore.wait(timeout: .now()))
    semaphore.wait()
  }

  private static func pollTwice() {
    print("asked", poll(nil, 0, 0))
    poll(nil, 0, 1)
  }

  private static func block() {
    let condition = NSCondition()
    condition.lock()
    condition.wait()
  }

  private static func spin() {
    let end = ContinuousClock.now + .milliseconds(1)
    while ContinuousClock.now < end {}
  }

  private static func lockTwice() {
    let number = Mutex(0)
    number.withLock { _ in number.withLock { $0 += 1 } }
  }

  private static func lockTwice(_ lock: some NSLocking) {
    lock.lock()
    lock.lock()
  }

  private static func crash() { fatalError("a crash") }

  private static func nap() { Thread.sleep(forTimeInterval: 1) }

  private static func assume() { MainActor.assumeIsolated {} }

  @MainActor private static func runLoop() { RunLoop.main.run(until: Date() + 1) }

  private static func download() async throws {
    guard let address = URL(string: "http://127.0.0.1:9/") else { return }
    _ = try await URLSession.shared.data(from: address)
  }

  static func waitForever(in world: World) async throws {
    let ann = world.makeHost("ann")
    try await ann.sleep(for: .seconds(3))
    ann.addTask("lingerer") { await forever() }
    await forever()
  }

  private static func forever() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }
}

/// Two constants that need each other.
private enum First {
  static let number = next()
  static func next() -> Int { Second.number + 1 }
}
private enum Second {
  static let number = next()
  static func next() -> Int { First.number + 1 }
}

/// What comes too early.
enum Early {
  static func use() { Thread.detachNewThread { Thread.sleep(forTimeInterval: 60) } }
}
