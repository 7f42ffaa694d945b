import EarshotTesting
import Hello
import Testing

@Test(.simulated(seeds: 200))
func helloAcrossACut() throws {
  let world = World.current
  let (phone, tablet) = (world.makeHost("phone"), world.makeHost("tablet"))
  let listening = phone.addTask("listen") { try await listen(on: phone) }
  tablet.addTask("greet") { try await greet(on: tablet) }
  world.run(for: .milliseconds(Int(world.seed)))  // Each seed cuts at another moment.
  let cut = world.cut(phone, to: tablet)
  world.run(for: .seconds(10))
  cut.end()
  world.run(for: .seconds(30))
  #expect(try listening.value == "hello")
}
