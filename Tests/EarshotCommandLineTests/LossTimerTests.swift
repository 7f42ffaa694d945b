import EarshotCommandLine
import Testing

@Suite("The loss timer")
struct LossTimerTests {
  @Test("Without a round trip the wait is a second, or the limit where that is shorter")
  func initial() {
    #expect(LossTimer(limit: .seconds(10)).wait == .seconds(1))
    #expect(LossTimer(limit: .milliseconds(300)).wait == .milliseconds(300))
  }

  @Test("The wait exceeds steady round trips, is no less than 200 ms, and stays within the limit")
  func bounds() {
    for milliseconds in [1, 50, 400, 3_000, 20_000] {
      var timer = LossTimer(limit: .seconds(10))
      for _ in 0..<50 { timer.add(.milliseconds(milliseconds)) }
      #expect(timer.hasSample)
      #expect(timer.wait >= min(.seconds(10), max(.milliseconds(200), .milliseconds(milliseconds))))
      #expect(
        timer.wait <= min(.seconds(10), max(.milliseconds(201), .milliseconds(milliseconds + 9))))
    }
  }

  @Test("Round trips that vary lengthen the wait")
  func variation() {
    var (steady, varying) = (LossTimer(limit: .seconds(10)), LossTimer(limit: .seconds(10)))
    for number in 0..<40 {
      steady.add(.milliseconds(500))
      varying.add(.milliseconds(number.isMultiple(of: 2) ? 100 : 900))
    }
    #expect(varying.wait > steady.wait + .seconds(1))
  }
}
