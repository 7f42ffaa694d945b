import EarshotProcess
import Hello
import Timekeeper

// Five hours of virtual time, and two peers of a simulated network at their end.
SimulatedProcess.run { world in
  let (phone, tablet) = (world.makeHost("phone"), world.makeHost("tablet"))
  print(try await Timekeeper().run(breaks: 12))
  let listening = Task.detached { try await listen(on: phone) }
  Task { try await greet(on: tablet) }
  print(try await listening.value, "at", world.now, world.traceHash)
}
