import EarshotCore
import Synchronization

/// What the peers of this process hear, decoded once while there are several.
enum SharedPackets {
  private static let state = Mutex<(ports: Int, packets: DecodedPackets)>((0, DecodedPackets()))

  /// One more port is open.
  static func portOpened() { state.withLock { $0.ports += 1 } }

  /// A port is closed; what the last one heard is forgotten.
  static func portClosed() {
    state.withLock { state in
      state.ports -= 1
      if state.ports <= 1 { state.packets = DecodedPackets() }
    }
  }

  /// Reads a packet.
  ///
  /// - Parameters:
  ///   - packet: Its bytes.
  ///   - interface: The index of the interface that it came in on.
  ///   - hash: The hash of its bytes.
  /// - Returns: What it says, or `nil` if it cannot be read.
  static func message(
    of packet: Span<UInt8>, on interface: UInt32, hash: UInt64
  ) -> SharedMessage? {
    state.withLock { state in
      state.ports > 1
        ? try? state.packets.message(of: packet, on: interface, hash: hash)
        : try? SharedMessage(DNSMessage(decoding: [UInt8](copying: packet)))
    }
  }
}
