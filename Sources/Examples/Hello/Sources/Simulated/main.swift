import EarshotSimulator
import Hello

let world = World(seed: 1)
let (phone, tablet) = (world.makeHost("phone"), world.makeHost("tablet"))
let listening = phone.addTask("listen") { try await listen(on: phone) }
tablet.addTask("greet") { try await greet(on: tablet) }
world.run(for: .seconds(10))  // of virtual time, which take a few milliseconds
print(try listening.value)
world.finish()
