import BenchmarkKit
import EarshotCore

/// Asks how many frames a second one core writes and finds again.
///
/// Batches of 64 KiB, as a link handles them. The baseline copies records behind a length of four bytes
/// and does nothing else.
@main
enum FrameThroughput {
  static func main() throws {
    var benchmark = Benchmark("FrameThroughput")
    for payloadBytes in [64, 1_024, 16_384] { measure(payloadBytes, in: &benchmark) }
    try benchmark.report()
  }

  private static func measure(_ payloadBytes: Int, in benchmark: inout Benchmark) {
    let payload = [UInt8](repeating: 0xA5, count: payloadBytes)
    let perBatch = max(1, 65_536 / payloadBytes)
    let batches = max(1, 256 << 20 / (perBatch * payloadBytes))
    let size = payloadBytes < 1_024 ? "\(payloadBytes) B" : "\(payloadBytes / 1_024) KiB"
    let operations = perBatch * batches
    benchmark.compare(
      unit: "frames/s",
      [
        .init("copy records of \(size)", operations: operations) {
          copyRecords(payload, perBatch: perBatch, batches: batches)
        },
        .init("encode frames of \(size)", operations: operations) {
          encode(payload, perBatch: perBatch, batches: batches)
        },
        .init("decode frames of \(size)", operations: operations) {
          decode(payload, perBatch: perBatch, batches: batches)
        },
        .init("send messages of \(size)", operations: operations) {
          deliver(payload, perBatch: perBatch, batches: batches)
        },
      ])
  }

  private static func copyRecords(_ payload: [UInt8], perBatch: Int, batches: Int) {
    let wire = UnsafeMutableRawBufferPointer.allocate(
      byteCount: perBatch * (payload.count + 4), alignment: 16)
    defer { wire.deallocate() }
    payload.withUnsafeBytes { payload in
      for _ in 0..<batches {
        var offset = 0
        for _ in 0..<perBatch {
          wire.storeBytes(of: UInt32(payload.count), toByteOffset: offset, as: UInt32.self)
          UnsafeMutableRawBufferPointer(rebasing: wire[(offset + 4)...]).copyMemory(from: payload)
          offset += 4 + payload.count
        }
      }
    }
    require(wire[4] == payload[0], "the records were not copied")
  }

  private static func encode(_ payload: [UInt8], perBatch: Int, batches: Int) {
    var wire: [UInt8] = []
    for _ in 0..<batches {
      wire.removeAll(keepingCapacity: true)
      for _ in 0..<perBatch {
        FrameEncoder.append(.message, payload: payload.span, to: &wire)
      }
    }
    let expected = perBatch * FrameEncoder.frameBytes(.message, payloadBytes: payload.count)
    require(wire.count == expected, "frames are missing on the wire")
  }

  private static func decode(_ payload: [UInt8], perBatch: Int, batches: Int) {
    var wire: [UInt8] = []
    for _ in 0..<perBatch { FrameEncoder.append(.message, payload: payload.span, to: &wire) }
    var decoder = FrameDecoder()
    var payloadBytes = 0
    for _ in 0..<batches {
      do throws(FrameError) {
        try decoder.decode(wire.span) { _, payload, _ throws(FrameError) in
          payloadBytes += payload.count
          return true
        }
      } catch {
        fail(error.description)
      }
    }
    require(payloadBytes == batches * perBatch * payload.count, "frames were not found")
  }

  /// The whole path: appended, sent, decoded, put together, acknowledged.
  private static func deliver(_ payload: [UInt8], perBatch: Int, batches: Int) {
    var ann = ReliableChannelMachine()
    var bob = ReliableChannelMachine()
    var decoder = FrameDecoder()
    var wire: [UInt8] = []
    var received = 0
    do throws(FrameError) {
      let (position, grant) = bob.position { _ in true }
      try ann.attach(received: position, grant: grant)
      for _ in 0..<batches {
        for _ in 0..<perBatch where !ann.append(payload.span) {
          fail("there is no room")
        }
        while ann.hasSendable {
          wire.removeAll(keepingCapacity: true)
          _ = ann.fill(&wire, within: ReliableChannelMachine.Room(bytesMax: 65_536))
          try decoder.decode(wire.span) { _, payload, frameBytes throws(FrameError) in
            let message = try bob.receiveMessage(payload, frameBytes: frameBytes, at: .zero)
            if let message { bob.release(messages: 1, bytes: message.count) }
            received += message?.count ?? 0
            return true
          }
          if let due = bob.takeAcknowledgement(at: .zero) { try ann.acknowledge(due) }
          if let credit = bob.takeDueCredit() { try ann.receive(credit) }
        }
      }
    } catch {
      fail(error.description)
    }
    require(received == batches * perBatch * payload.count, "messages did not arrive")
  }
}
