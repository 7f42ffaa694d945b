#if os(Linux)
  import Foundation
  import Synchronization

  /// Carries the frames of two network devices from each to the other, on a thread of its own, and harms them as it
  /// is told to.
  final class Cable: Sendable {
    typealias Side = Disturbance.Side

    private struct State {
      var disturbances: Set<Disturbance> = []
      /// How many packets with a payload have passed since they are harmed.
      var payloadCount = 0
      /// Behind what was sent in each flow, and the addresses of Ethernet there.
      var flows: [EthernetFrame.Flow: (end: UInt32, side: Side, addresses: [UInt8])] = [:]
    }
    private let state = Mutex(State())
    private let devices: (ann: Int32, bob: Int32)
    private let stopping: (read: Int32, write: Int32)

    /// Begins to carry.
    ///
    /// - Parameters:
    ///   - ann: A descriptor that frames are read from and written to; closed by ``cut()``.
    ///   - bob: The same on the other side.
    /// - Throws: `EMFILE` when no descriptor is left.
    init(from ann: Int32, to bob: Int32) throws {
      devices = (ann, bob)
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
      stopping = (ends[0], ends[1])
      let thread = Thread { [self] in carry() }
      thread.name = "cable"
      thread.start()
    }

    /// Ends the carrying, and closes the devices.
    func cut() {
      Foundation.close(stopping.write)
    }

    func set(_ disturbance: Disturbance, _ isOn: Bool) {
      state.withLock { state in
        state.payloadCount = 0
        if isOn {
          state.disturbances.insert(disturbance)
        } else {
          state.disturbances.remove(disturbance)
        }
      }
    }

    /// Sends a reset to both ends of every connection that was seen.
    func resetAll() {
      let flows = state.withLock { state in
        defer { state.flows = [:] }
        return state.flows
      }
      for (flow, (end, side, addresses)) in flows {
        write(
          EthernetFrame.reset(in: flow, at: end, addresses: addresses), to: device(beyond: side))
      }
    }

    // MARK: The thread

    private func carry() {
      let events = Int16(POLLIN)
      var polled = [devices.ann, devices.bob, stopping.read].map {
        pollfd(fd: $0, events: events, revents: 0)
      }
      while poll(&polled, 3, -1) >= 0 || errno == EINTR {
        if polled[2].revents != 0 { break }
        if polled[0].revents != 0 { pass(from: .ann) }
        if polled[1].revents != 0 { pass(from: .bob) }
      }
      for descriptor in [devices.ann, devices.bob, stopping.read] { Foundation.close(descriptor) }
    }

    private func pass(from side: Side) {
      var buffer = [UInt8](repeating: 0, count: 2_048)
      while case let count = read(side == .ann ? devices.ann : devices.bob, &buffer, buffer.count),
        count > 0
      {
        for frame in result(of: EthernetFrame(Array(buffer[..<count])), from: side) {
          write(frame, to: device(beyond: side))
        }
      }
    }

    /// A device that is down takes nothing, as an interface that is.
    private func write(_ frame: EthernetFrame, to device: Int32) {
      _ = Foundation.write(device, frame.bytes, frame.bytes.count)
    }

    private func device(beyond side: Side) -> Int32 { side == .ann ? devices.bob : devices.ann }

    /// What becomes of a frame.
    private func result(of frame: EthernetFrame, from side: Side) -> [EthernetFrame] {
      state.withLock { state in
        guard !state.disturbances.contains(.mute(side)) else { return [] }
        if frame.isMulticast, state.disturbances.contains(.multicastLost) { return [] }
        let (harmed, isHarmed) = Self.harm(frame, &state)
        if !isHarmed { Self.note(frame, from: side, &state) }
        let isTwice = frame.isDatagram && state.disturbances.contains(.duplicated)
        return isTwice ? [harmed, harmed] : [harmed]
      }
    }

    private static func note(_ frame: EthernetFrame, from side: Side, _ state: inout State) {
      guard let (flow, end) = frame.segment else { return }
      if let known = state.flows[flow], Int32(bitPattern: end &- known.end) < 0 { return }
      state.flows[flow] = (end, side, Array(frame.bytes[..<12]))
    }

    /// Harms so many percent of the packets with a payload, evenly.
    private static func harm(
      _ frame: EthernetFrame, _ state: inout State
    ) -> (frame: EthernetFrame, isHarmed: Bool) {
      guard frame.isSegment || frame.isDatagram, !frame.payload.isEmpty else {
        return (frame, false)
      }
      state.payloadCount += 1
      let count = state.payloadCount
      func isDue(_ percent: Int) -> Bool { count * percent / 100 > (count - 1) * percent / 100 }
      var harmed = frame
      for disturbance in state.disturbances {
        switch disturbance {
        case .corrupted(let percent) where isDue(percent): harmed.corrupt()
        case .truncated(let percent) where isDue(percent): harmed.truncate()
        default: continue
        }
        return (harmed, true)
      }
      return (frame, false)
    }
  }
#endif
