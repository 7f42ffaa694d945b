import EarshotCore
import TestKit
import Testing

@Suite("Inbound log")
struct InboundLogTests {
  @Test("An acknowledgement is due after a batch, or when its delay has passed")
  func due() {
    var log = InboundLog(batchBytes: 1_000)
    #expect(!log.isAcknowledgementDue(at: .distantFuture))
    log.receive(frameBytes: 100, at: .zero)
    let deadline = Instant.zero + .milliseconds(25)
    #expect(log.acknowledgementDeadline == deadline)
    log.receive(frameBytes: 899, at: .zero + .milliseconds(20))
    #expect(log.acknowledgementDeadline == deadline)
    #expect(!log.isAcknowledgementDue(at: deadline - .nanoseconds(1)))
    #expect(log.isAcknowledgementDue(at: deadline))
    log.receive(frameBytes: 1, at: .zero)
    #expect(log.isAcknowledgementDue(at: .zero))
    #expect(log.takeAcknowledgement().received == 1_000)
    #expect(log.acknowledgementDeadline == nil)
    #expect(!log.isAcknowledgementDue(at: .distantFuture))
  }

  @Test("The acknowledgement of the last frame of a stream is due at once")
  func final() {
    var log = InboundLog(batchBytes: 1_000)
    log.receive(streamFrameBytes: 10, isFinal: false, at: .zero)
    #expect(!log.isAcknowledgementDue(at: .zero))
    log.receive(streamFrameBytes: 10, isFinal: true, at: .zero)
    #expect(log.isAcknowledgementDue(at: .zero))
    #expect(log.takeAcknowledgement().received == 20)
    #expect(!log.isAcknowledgementDue(at: .distantFuture))
  }

  @Test("An acknowledgement is urgent after a batch of frames of streams")
  func urgent() {
    var log = InboundLog(batchBytes: 1_000)
    for _ in 0..<2 {
      log.receive(frameBytes: 2_000, at: .zero)
      log.receive(streamFrameBytes: 999, isFinal: false, at: .zero)
      #expect(!log.isAcknowledgementUrgent)
      log.receive(streamFrameBytes: 1, isFinal: false, at: .zero)
      #expect(log.isAcknowledgementUrgent)
      _ = log.takeAcknowledgement()
      #expect(!log.isAcknowledgementUrgent)
    }
  }

  @Test("An acknowledgement is of all that was received", arguments: Seed.some(20))
  func total(seed: Seed) {
    var random = seed.generator
    var (log, total) = (InboundLog(batchBytes: 10_000, acknowledgementDelay: .zero), 0)
    for _ in 0..<100 {
      let frameBytes = 2 + Int(random.below(1_000))
      log.receive(frameBytes: frameBytes, at: .zero)
      total += frameBytes
      #expect(log.received == UInt64(total))
      #expect(log.isAcknowledgementDue(at: .zero))
      if random.below(3) == 0 { #expect(log.takeAcknowledgement().received == UInt64(total)) }
    }
  }
}
