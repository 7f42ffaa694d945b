import Foundation
import Testing

/// The list of all numbers that the public interface takes, against the sources.
///
/// Cases of enums, such as the periods of faults, are not found by their declaration: the compiler
/// has
/// `Fault.Kind.bounded` name each of them.
@Suite("Public numbers")
struct PublicNumberTests {
  /// File by file: the suite that has the extremes, and the properties and parameters, as
  /// `function.label`.
  ///
  /// `any`: every value counts as it is, and nothing is computed with it. `result`: programs read
  /// it.
  private static let table = """
    Endpoint.swift | any | port init.port
    Instant.swift | EarshotCoreTests.NumberTests | init.nanoseconds <.left <.right +.instant +.duration \
    -.instant -.duration -.left -.right advanced.nanoseconds advanced.by duration.to
    NetworkInterface.swift | EarshotCoreTests.NumberTests | init.index init.maximumTransmissionUnit init.bits
    RandomStream.swift | any | init.seed
    Ratio.swift | EarshotCoreTests.NumberTests | init?._ percent._ <.left <.right
    RollingHash.swift | any | combine._
    TransportProgress.swift | result | unacknowledgedBytes deliveredCount arrivedCount leastRoundTrip \
    retransmissionCount init.unacknowledgedBytes init.deliveredCount init.arrivedCount \
    init.leastRoundTrip init.retransmissionCount
    DatagramChannel.swift | NetworkNumberTests | init.capacity send.on receive.until join.on leave.on
    DatagramSocket.swift | NetworkNumberTests | send.inDatagramsOf init.interface init.hopLimit
    HostClock.swift | CallNumberTests | sleep.until sleep.tolerance
    BoundedQueue.swift | WorldNumberTests | note._ gauge.atMost
    NetworkHost+Sleep.swift | CallNumberTests | sleep.until sleep.for
    NetworkError.swift | any | init.errno
    Storage.swift | result | byteCount storedByteCount modified changed device number init.byteCount \
    init.storedByteCount init.modified init.changed init.device init.number
    StorageError.swift | any | init.errno
    NetworkHost.swift | NetworkNumberTests | datagramSocketCount.at connectTimeout userTimeout \
    firstInterface init.connectTimeout init.userTimeout init.firstInterface hopLimit multicastHopLimit receiveBufferBytes init.hopLimit \
    init.multicastHopLimit init.receiveBufferBytes
    TrustStore.swift | CallNumberTests | since init.since
    Configuration.swift | SessionNumberTests | port maximumOpenInvitations init.port \
    init.maximumOpenInvitations maximumMemberCount patience maximumMessageBytes sendBufferBytes \
    receiveWindowBytes maximumStreamCount streamBufferBytes init.maximumMemberCount init.patience \
    init.maximumMessageBytes init.sendBufferBytes init.receiveWindowBytes init.maximumStreamCount \
    init.streamBufferBytes
    ByteStream.swift | StreamTests | read.upTo read.exactly reset.code stopReading.code
    ResourcePolicy.swift | ResourceNumberTests | accept.upTo or.upTo
    Session+Resources.swift | ResourceNumberTests | sendResource.upTo
    Instant+Operators.swift | InstantOperatorTests | +.instant +.duration -.instant -.duration -.left \
    -.right
    Peer.swift | CallNumberTests | invite.within ticket.validFor stop.within
    PeerTicket.swift | CallNumberTests | init.expiry init.at
    Session.swift | CallNumberTests | stop.within
    TrustPolicy.swift | CallNumberTests | approved.within
    POSIXHost.swift | any | datagramSocketCount.at
    PerfettoTrace.swift | WorldNumberTests | addSpan._
    LinkConditions.swift | WorldNumberTests | latency jitter loss duplication reordering reorderingDelay \
    bandwidth queueBytes maximumTransmissionUnit init.latency init.jitter init.loss init.duplication \
    init.reordering init.reorderingDelay init.bandwidth init.queueBytes init.maximumTransmissionUnit
    BurstLoss.swift | WorldNumberTests | enter leave loss init.enter init.leave init.loss init.share \
    init.length
    Fault.swift | FaultNumberTests | id at lasting init.at init.lasting init.id jump drift init.jump \
    init.drift suspend.grace swizzle.at swizzle.lasting
    FaultPlan+Guarantees.swift | FaultNumberTests | guarantees.patience
    LinkChange.swift | FaultNumberTests | latency jitter loss multicastLoss datagramLoss duplication \
    reordering corruption truncation bandwidth queue mtu
    Medium.swift | FaultNumberTests | bandwidth overhead queueBytes init.bandwidth init.overhead \
    init.queueBytes
    RandomFaults.swift | FaultNumberTests | count between lasting init.count init.between init.lasting
    World+Faults.swift | FaultNumberTests | suspend.grace
    History+Check.swift | WorldNumberTests | check.configurationsMax
    History.swift | WorldNumberTests | invoke.at complete.at
    CounterModel.swift | WorldNumberTests | init.initial state.from
    SimulatedStorage.swift | StorageNumberTests | fail.number crashHost.number
    StorageConditions.swift | StorageNumberTests | capacityBytes latency readBytesPerSecond \
    writeBytesPerSecond init.capacityBytes init.latency init.readBytesPerSecond \
    init.writeBytesPerSecond
    SimulatedHost.swift | any | datagramSocketCount.at
    World+Properties.swift | WorldNumberTests | checkAlways.every
    ScheduleRecord.swift | WorldNumberTests | init.decision init.index
    PacketHeader.swift | any | init.rawValue
    World+Convergence.swift | WorldNumberTests | expectConvergence.within
    World+Hosts.swift | ProgramTests | makeHosts.atLeast
    World+Links.swift | WorldNumberTests | setMulticastLoss._
    World+Trace.swift | WorldNumberTests | note.cause
    World.swift | WorldNumberTests | init.seed at._ run.until run.for run.within runUntilIdle.limit
    WorldConfiguration.swift | WorldNumberTests | multicastLoss unreachableAfter init.multicastLoss \
    init.unreachableAfter
    SimulatedTrait.swift | EarshotTestingTests.NumberTests | simulated.seeds simulated.jobs
    StatefulRule.swift | EarshotTestingTests.NumberTests | init.weight
    StatefulTest.swift | EarshotTestingTests.NumberTests | run.commands run.within run.runsMax
    SimulatedProcess.swift | any | run.seed
    ScenarioRun.swift | any | run.seed runTwice.seed
    Timeline.swift | result | time identity sessionNumber
    """

  @Test("Every number that the public interface takes is in a table of extremes, or needs none")
  func complete() throws {
    let listed = Self.table.split(separator: "\n").flatMap { line in
      let parts = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return parts[2].split(separator: " ").map { "\(parts[0]): \($0)" }
    }
    let found = try Self.declared()
    #expect(
      found.subtracting(listed).sorted() == [], "add extremes to a table, and the name to this one")
    #expect(Set(listed).subtracting(found).sorted() == [], "these are numbers no more")
  }

  // MARK: The sources

  private static let modules = [
    "EarshotCore", "EarshotNetwork", "EarshotTLS", "Earshot", "EarshotPOSIX", "EarshotSimulator",
    "EarshotTesting", "EarshotProcess", "EarshotScenario",
  ]
  private static let number =
    #"(?:U?Int(?:8|16|32|64)?|Double|Float|Duration|Instant|Date|Ratio|TimeInterval|"#
    + #"(?:Closed)?Range<(?:Int|UInt64|Duration|Instant|Date)>)\??"#

  /// The public properties that can be set, and the parameters of public functions, that are
  /// numbers.
  private static func declared() throws -> Set<String> {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let declaration = try Regex<(Substring, Substring?, Substring?)>(
      #"(?m)^ *public (?:static |mutating |nonisolated |convenience |final )*"#
        + #"(?:(?:func )?([^\s(<:]+|<)(?= ?[(<])|var (\w+): "# + number + #"(?: = .*)?$)"#)
    var found: Set<String> = []
    for module in modules {
      let folder = root.appending(path: "Sources/\(module)")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      for case let file as URL in try #require(files) where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        for match in text.matches(of: declaration) {
          let names: [Substring]
          if let function = match.output.1 {
            names = try parameters(of: text[match.range.lowerBound...]).map { "\(function).\($0)" }
          } else {
            names = [match.output.2].compactMap(\.self)
          }
          for name in names { found.insert("\(file.lastPathComponent): \(name)") }
        }
      }
    }
    return found
  }

  /// The labels of the parameters of a function that are numbers.
  private static func parameters(of declaration: Substring) throws -> [Substring] {
    var (depth, end) = (0, declaration.startIndex)
    scan: for index in declaration.indices {
      switch declaration[index] {
      case "(": depth += 1
      case ")" where depth == 1:
        end = index
        break scan
      case ")": depth -= 1
      default: break
      }
    }
    let list = declaration[..<end].drop { $0 != "(" }
    let parameter = try Regex<(Substring, Substring)>(
      #"[(,]\s*(\w+)(?: \w+)?: (?:inout )?"# + number + #"(?=[ ,=\n]|$)"#)
    return list.matches(of: parameter).map(\.output.1)
  }
}
