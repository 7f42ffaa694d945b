import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: work off the executor")
struct OffloadContract {
  private struct Failure: Error, Equatable { let number: Int }

  @Test("The call returns what the body returns, on the executor", arguments: networks)
  func returning(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      for network in [hosts.ann.network, hosts.bob.network] {
        let answer = await network.offload { 42 }
        #expect(answer == 42)
        #expect(hosts.ann.network.executor.serial.isIsolatingCurrentContext() == true)
      }
    }
  }

  @Test("The call throws what the body throws", arguments: networks)
  func throwing(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      do throws(Failure) {
        _ = try await hosts.ann.network.offload { () throws(Failure) -> Int in
          throw Failure(number: 7)
        }
        Issue.record("nothing is thrown")
      } catch {
        #expect(error == Failure(number: 7))
      }
      #expect(hosts.ann.network.executor.serial.isIsolatingCurrentContext() == true)
    }
  }

  @Test("A body uses the storage of its host", arguments: networks)
  func storing(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let path = try hosts.ann.makeFolder("folder")
      let network = hosts.ann.network
      let folder = try await network.offload { () throws(StorageError) in
        try network.storage.openFolder(at: path)
      }
      let file = try await network.offload { () throws(StorageError) in
        let file = try folder.createFile("file")
        _ = try file.write([1, 2, 3].span, at: 0)
        try file.synchronize()
        return file
      }
      let bytes = try await network.offload { () throws(StorageError) in
        try file.read(10, at: 0)
      }
      #expect(bytes == [1, 2, 3])
      let error = await #expect(throws: StorageError.self) {
        try await network.offload { () throws(StorageError) in _ = try folder.createFile("file") }
      }
      #expect(error?.code == .exists)
    }
  }

  @Test("Bodies that are handed over at once are each done once", arguments: networks)
  func atOnce(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let runs = Watched<[Int]>([])
      let returned = await withTaskGroup(of: Int.self) { group in
        for number in 0..<200 {
          let network = number.isMultiple(of: 2) ? hosts.ann.network : hosts.bob.network
          group.addTask {
            await network.offload {
              runs.update { $0.append(number) }
              return number
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(runs.state.sorted() == Array(0..<200))
      #expect(returned.sorted() == Array(0..<200))
    }
  }

  @Test("Timers fire and signals are raised while work is under way", arguments: networks)
  func meanwhile(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let network = hosts.ann.network
      let seen = Watched<Set<String>>([])
      let timer = network.makeTimer { seen.update { $0.insert("timer") } }
      let signal = network.makeSignal { seen.update { $0.insert("signal") } }
      timer.arm(at: network.now + .milliseconds(1))
      network.beginOffloaded {
        signal.raise()
        return { seen.update { $0.insert("end") } }
      }
      try await seen.wait { $0.count == 3 }
      withExtendedLifetime((timer, signal)) {}
    }
  }

  @Test("What a body returns is called after it, once", arguments: networks)
  func completion(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let steps = Watched<[String]>([])
      hosts.ann.network.beginOffloaded {
        steps.update { $0.append("work") }
        return { steps.update { $0.append("end") } }
      }
      try await steps.wait { $0.count == 2 }
      await hosts.ann.network.offload {}
      #expect(steps.state == ["work", "end"])
    }
  }

  @Test("Cancelling a task changes nothing about its body", arguments: networks)
  func cancelling(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let network = hosts.ann.network
      let begun = Watched(false)
      let outcomes = Watched<[Int]>([])
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let number = await network.offload {
            begun.update { $0 = true }
            return 1
          }
          outcomes.update { $0.append(number) }
        }
        try await begun.wait { $0 }
        group.cancelAll()
        group.addTask {  // It is cancelled before it begins.
          let number = await network.offload { 2 }
          outcomes.update { $0.append(Task.isCancelled ? number : 0) }
        }
      }
      #expect(outcomes.state.sorted() == [1, 2])
    }
  }
}
