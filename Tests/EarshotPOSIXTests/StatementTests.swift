import EarshotNetwork
import EarshotPOSIX
import Testing

@Suite("Statements on real networks")
struct StatementTests {
  @Test("Neither conditions nor names are evaluated, and nothing is taken in")
  func free() async throws {
    let host = try POSIXHost(.loopback)
    var evaluated = 0
    func count<Value>(_ value: Value) -> Value {
      evaluated += 1
      return value
    }
    host.always(count(false), count("a"), count("b"))
    host.sometimes(count(true), count("a"))
    host.reachable(count("a"))
    host.unreachable(count("a"), count("b"))
    #expect(evaluated == 0 && host.instrumentation == nil)
    await host.shutDown()
  }
}
