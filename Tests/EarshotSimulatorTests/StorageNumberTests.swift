import EarshotCore
import EarshotNetwork
import EarshotSimulator
import TestKit
import Testing

/// Numbers that disks take.
@Suite("Numbers in storage", .timeLimit(.minutes(5)))
struct StorageNumberTests {
  private static let disks: [ExtremeSettings<StorageConditions>] = {
    typealias Row = ExtremeSettings<StorageConditions>
    let numbers: [(String, WritableKeyPath<StorageConditions, Int>)] = [
      ("capacityBytes", \.capacityBytes), ("readBytesPerSecond", \.readBytesPerSecond),
      ("writeBytesPerSecond", \.writeBytesPerSecond),
    ]
    let none = StorageConditions()
    return Row.rows("latency", \.latency, Extremes.durations, in: none)
      + numbers.flatMap { Row.rows($0, $1, Extremes.integers(), in: none) }
  }()

  @Test(
    "A disk with any number in its conditions stores files or is full, in some time",
    arguments: disks)
  func conditions(row: ExtremeSettings<StorageConditions>) throws {
    var configuration = WorldConfiguration()
    configuration.storage = row.settings
    let world = World(seed: 1, configuration: configuration)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    #expect(ann.disk.freeBytes >= 0)
    let task = ann.addTask("save") {
      let bytes = [UInt8](repeating: 7, count: 1_000)
      do {
        _ = try await ann.offload {
          let file = try ann.storage.openFolder(at: "/").createFile("a")
          _ = try file.write(bytes.span, at: 0)
          #expect(try file.read(1_000, at: 0) == bytes)
        }
      } catch { #expect((error as? StorageError)?.code == .full) }
    }
    world.run(for: .seconds(10 * 3_600))
    try task.value
    #expect((ann.disk.bytes(of: "/a")?.isEmpty == true) == (ann.disk.conditions.capacityBytes < 2))
  }

  @Test("Every number in the conditions of disks has its extremes in the table")
  func complete() {
    #expect(
      PublicNumbers.properties(of: StorageConditions(), besides: [])
        == Set(Self.disks.map(\.property)))
  }

  @Test(
    "A call of any number can be made to fail, or to crash the host",
    arguments: Extremes.integers())
  func numbers(number: Int) throws {
    for crashes in [false, true] {
      let world = World(seed: 1)
      defer { world.finish() }
      let ann = world.makeHost("ann")
      if crashes {
        ann.disk.crashHost(number: number)
      } else {
        ann.disk.fail(number: number, with: .other)
      }
      let isOpen = (try? ann.storage.openFolder(at: "/")) != nil
      #expect(isOpen == (number > 1))
      world.run(for: .seconds(1))
      #expect(ann.isUp == (!crashes || isOpen))
    }
  }

  @Test(
    "Any place and length of a file is read, written and set, or refused",
    arguments: Extremes.integers(of: Int64.self))
  func places(number: Int64) throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let file = try ann.storage.openFolder(at: "/").createFile("a")
    _ = try file.write([1, 2, 3].span, at: 0)
    let bytes = try? file.read(Int(number), at: 0)
    #expect(bytes == (number < 0 ? nil : Array([1, 2, 3].prefix(Int(number)))))
    let rest = try? file.read(.max, at: number)
    #expect(rest == (number < 0 ? nil : number > 3 ? [] : Array([1, 2, 3].dropFirst(Int(number)))))
    #expect(try file.data(from: number) == ((0..<3).contains(number) ? number..<3 : nil))
    #expect(((try? file.write([7].span, at: number)) != nil) == (0..<3).contains(number))
    #expect(((try? file.resize(to: number)) != nil) == (0..<3).contains(number))
    try file.set(modified: number, isExecutable: false)
    let attributes = try file.attributes()
    #expect(attributes.modified == number && (0...3).contains(attributes.byteCount))
  }
}
