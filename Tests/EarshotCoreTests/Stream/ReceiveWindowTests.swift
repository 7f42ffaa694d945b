import EarshotCore
import TestKit
import Testing

@Suite("Receive window")
struct ReceiveWindowTests {
  private static let windowBytes = ReceiveWindow.windowBytesMin

  @Test("A part counts its bytes, and 64 more if it is the last one")
  func counting() throws {
    var window = ReceiveWindow(windowBytes: Self.windowBytes)
    _ = window.takeCredit()
    try window.receive(partBytes: 100, isLast: false)
    #expect(window.received == 100)
    try window.receive(partBytes: 0, isLast: true)
    #expect(window.received == 164)
  }

  @Test(
    "A part beyond what was granted is refused, and changes nothing",
    arguments: [(65_536, true), (65_537, false), (Int(Varint.max), false)])
  func overrun(partBytes: Int, isLast: Bool) throws {
    var window = ReceiveWindow(windowBytes: Self.windowBytes)
    let unasked = FrameError(.overrun, type: .message, payloadBytes: 1)
    #expect(unasked.closeCode == .flowControl)
    #expect(throws: unasked) { try window.receive(partBytes: 0, isLast: true) }
    _ = window.takeCredit()
    try window.receive(partBytes: 65_536, isLast: false)
    let before = window
    let error = FrameError(.overrun, type: .message, payloadBytes: partBytes + 1)
    #expect(throws: error) { try window.receive(partBytes: partBytes, isLast: isLast) }
    #expect(window == before)
    try window.receive(partBytes: 65_536 - 64, isLast: true)
    #expect(window.received == window.limit)
  }

  @Test("What was granted is never taken back", arguments: Seed.some(60))
  func monotonic(seed: Seed) throws {
    var random = seed.generator
    var window = ReceiveWindow(windowBytes: Self.windowBytes)
    var (last, held): (UInt64, [Int]) = (0, [])
    for _ in 0..<150 {
      switch random.below(4) {
      case 0:
        let room = Int(window.limit - window.received)
        let isLast = random.below(2) == 0
        let part = Int(random.below(UInt64(room + 1))) - (isLast ? 64 : 0)
        if part >= 0 { try window.receive(partBytes: part, isLast: isLast) }
      case 1:
        held.append(Int(random.below(500_000)))
        window.hold(messageBytes: held[held.count - 1])
      case 2: if let bytes = held.popLast() { window.release(heldBytes: bytes + 64) }
      default:
        let isDue = window.isCreditDue
        let next = window.takeCredit()
        #expect(next >= last && window.limit == next && !window.isCreditDue)
        #expect(isDue == (next - last >= UInt64(Self.windowBytes / 4)))
        #expect(next <= window.received + UInt64(Self.windowBytes))
        let total = held.reduce(0) { $0 + $1 + 64 }
        if total == 0 { #expect(next == window.received + UInt64(Self.windowBytes)) }
        last = next
      }
      #expect(window.heldBytes == held.reduce(0) { $0 + $1 + 64 })
    }
  }
}
