/// The tasks of a host that have not ended, in the order of their beginnings.
struct TaskRegistry {
  private var tasks: [Int: (spawned: SpawnedTask, cancel: () -> Void)] = [:]
  private var lastNumber = 0

  /// A number for a task that begins.
  mutating func takeNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ number: Int, _ spawned: SpawnedTask, cancel: @escaping () -> Void) {
    tasks[number] = (spawned, cancel)
  }

  mutating func remove(_ number: Int) { tasks[number] = nil }

  var waiting: [SpawnedTask] { ordered.map(\.spawned) }

  func cancelAll() { for task in ordered { task.cancel() } }

  private var ordered: [(spawned: SpawnedTask, cancel: () -> Void)] {
    tasks.sorted { $0.key < $1.key }.map(\.value)
  }
}
