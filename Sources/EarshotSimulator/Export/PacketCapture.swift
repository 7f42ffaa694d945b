/// Writes what the hosts of a world send as a capture file, as packet analysers such as Wireshark read it (pcapng).
///
/// ```swift
/// let capture = PacketCapture { bytes in file.write(bytes) }
/// world.record(into: capture.add)
/// world.run(for: .seconds(10))
/// capture.finish()
/// ```
///
/// Each packet is there once, on the interface of the host that sends it and at the time of its sending, in nanoseconds
/// since the start of the world; a multicast is one packet, however many hosts it is sent to. Headers of IPv4 and IPv6,
/// UDP and TCP are those of real packets, with checksums. Windows are rounded up to eight bytes. A packet that is lost
/// has a comment that says for whom and why: `lost to bob: chance`. What the world does to its hosts is a comment of
/// the next packet, and an entry of a journal among the packets, as are notes. Every packet's identifier is the number
/// of its event.
///
/// A packet is written once it is known what becomes of it; of those behind it 65,536 are kept at most.
public final class PacketCapture {
  private var file: FileBuffer
  private var queue = CaptureQueue()
  private var spaces = SequenceSpaces()
  /// The interfaces of hosts, by name.
  private var interfaces: [String: Int] = [:]
  private var named: Set<IPAddress> = []

  /// Begins a capture.
  ///
  /// - Parameter sink: Is handed the bytes of the file, in order, some 64 KiB at a time.
  public init(into sink: @escaping ([UInt8]) -> Void) {
    file = FileBuffer(sink)
    CaptureBlock.section(into: &file)
  }

  /// Takes in an event of the world; those of one world in their order.
  ///
  /// - Parameter event: The event.
  public func add(_ event: TraceEvent) {
    queue.add(event)
    while let item = queue.popDecided() { write(item) }
  }

  /// Writes what is left; packets that are on their way have a comment that says so.
  public func finish() {
    while let item = queue.popFirst() { write(item) }
    file.flush()
  }

  // MARK: Writing

  private func write(_ item: CaptureQueue.Item) {
    switch item {
    case .packet(let packet): write(packet)
    case .entry(let event): write(entry: event)
    }
  }

  private func write(_ packet: CaptureQueue.SentPacket) {
    let event = packet.event
    guard let header = event.packet else { return }
    let interface = interface(of: event.from, header.source.address)
    var comments = packet.comments
    for image in images(of: event, header) {
      CaptureBlock.packet(
        event.number, at: event.time, on: interface, image.bytes, comments: comments, into: &file)
      comments = []
    }
  }

  private func images(of event: TraceEvent, _ header: PacketHeader) -> [PacketImage] {
    guard let tcp = header.tcp else {
      return [PacketImage(datagram: header, event.payload[...], number: event.number)]
    }
    let offsets = spaces.note(header, tcp.flags, event: event.number)
    // What IP's length cannot say is written as several packets.
    return stride(from: 0, to: max(1, event.payload.count), by: Self.payloadBytesMax).map { start in
      let end = min(event.payload.count, start + Self.payloadBytesMax)
      return PacketImage(
        segment: header, tcp, event.payload[start..<end], at: start, offsets, number: event.number)
    }
  }

  private func interface(of host: String, _ address: IPAddress) -> Int {
    if interfaces[host] == nil {
      interfaces[host] = interfaces.count
      CaptureBlock.interface(host, into: &file)
    }
    if named.insert(address).inserted { CaptureBlock.name(of: address, host, into: &file) }
    return interfaces[host] ?? 0
  }

  private func write(entry event: TraceEvent) {
    let microseconds = max(0, event.time.nanoseconds) / 1_000
    CaptureBlock.journal(
      [
        ("__REALTIME_TIMESTAMP", "\(microseconds)"), ("MESSAGE", event.sentence),
        ("PRIORITY", event.kind == .fault ? "4" : "6"), ("SYSLOG_IDENTIFIER", event.kind.rawValue),
        ("_HOSTNAME", event.from), ("EARSHOT_EVENT", "\(event.number)"),
      ], into: &file)
  }

  private static let payloadBytesMax = 65_000
}

extension TraceEvent {
  /// What happened, in one line.
  var sentence: String {
    switch kind {
    case .delivered: "arrived again at \(to): \(detail)"
    case .timer, .sent, .lost, .fault, .note:
      [from, label, to.isEmpty ? "" : "to \(to)", detail].filter { !$0.isEmpty }
        .joined(separator: " ")
    }
  }
}
