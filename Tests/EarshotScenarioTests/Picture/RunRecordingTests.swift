import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("What is kept of a run")
struct RunRecordingTests {
  @Test("Of a long run the first and the last events are kept, in their order")
  func kept() {
    let (world, recording) = (World(seed: 1), RunRecording())
    world.record(into: recording.add)
    for number in 0..<30_000 {
      world.note(nil, kind: "n", "\(number)")
      if number == 19_999 { #expect(recording.events.map(\.number) == Array(0..<20_000)) }
    }
    #expect(recording.eventCount == 30_000)
    #expect(recording.events.map(\.number) == Array(0..<10_000) + Array(20_000..<30_000))
    world.finish()
  }

  @Test("A message has its sender, its receiver, both times and both events")
  func messages() throws {
    let (world, recording) = (World(seed: 1), RunRecording())
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    world.record(into: recording.add)
    world.note(ann, kind: "sent", "0:0")
    world.note(ann, kind: "sent", "0:1")
    world.run(for: .seconds(2))
    world.note(bob, kind: "received", "0:1")
    world.note(bob, kind: "received", "0:7")
    let (first, second) = (recording.messages[0], recording.messages[1])
    #expect(recording.messages.count == 2 && first.arrived == nil && first.to.isEmpty)
    #expect(second.from == "ann" && second.to == "bob" && second.sent == .zero)
    #expect(second.arrived == .seconds(2) && second.sentEvent == 1 && second.arrivedEvent == 2)
    world.finish()
  }

  @Test("Steps become longer with the run, and lose nothing")
  func series() throws {
    let (world, recording) = (World(seed: 1), RunRecording())
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    world.record(into: recording.add)
    world.setLink(
      from: ann, to: bob, LinkConditions(latency: .milliseconds(10), loss: .percent(20)))
    let handler = Ignoring()
    let any = Endpoint(.anyV4, port: 7)
    let socket = try ann.openDatagramSocket(on: any, options: DatagramOptions(), handler: handler)
    _ = try bob.openDatagramSocket(on: any, options: DatagramOptions(), handler: handler)
    for _ in 0..<100 {
      let payload = [UInt8](repeating: 1, count: 10)
      for _ in 0..<3 { try socket.send(payload.span, to: Endpoint(bob.address, port: 7), on: nil) }
      world.run(for: .seconds(1))
    }
    let series = recording.series
    #expect(series.width == .milliseconds(256) && series.steps.count <= 512)
    let total = series.steps.reduce((sent: 0, arrived: 0, lost: 0)) {
      ($0.sent + $1.sent, $0.arrived + $1.arrived, $0.lost + $1.lost)
    }
    #expect(total.sent == 3_000 && total.arrived + total.lost == 3_000 && total.lost > 0)
    #expect(series.steps.map(\.inFlight).max() == 30)
    world.finish()
  }

  private final class Ignoring: DatagramHandler {
    func datagramSocket(
      _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
    ) {}
    func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
  }
}
