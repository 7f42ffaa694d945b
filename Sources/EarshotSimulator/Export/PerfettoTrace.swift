/// Writes what happens in a world as a trace for Perfetto (https://ui.perfetto.dev), in its binary format.
///
/// ```swift
/// let trace = PerfettoTrace { bytes in file.write(bytes) }
/// world.record(into: trace.add)
/// world.run(for: .seconds(10))
/// trace.finish()
/// ```
///
/// Every host has a track, on which it is `crashed`, `suspended` or `frozen`. Below it are its packets and timers, its
/// notes, and how many bytes of its payloads are on their way. Arrows lead from the sending of a packet to its arrival or
/// loss; of a duplicate, to the first arrival. What the world does stands on a track of its own. Times are nanoseconds since the
/// start of the world, and each event carries its number, and that of its cause.
public final class PerfettoTrace {
  private var file: FileBuffer
  private var message = ProtobufWriter()
  private var tracks = PerfettoTracks()
  private var names = PerfettoTexts()
  private var annotationNames = PerfettoTexts(PerfettoFields.Remark.allCases.map(\.name))
  private var annotationTexts = PerfettoTexts()
  private var inFlight = PayloadsInFlight()
  /// The numbers of names of packets, by what they are made of, and of texts of flags.
  private var packetNames: [Int: UInt64] = [:]
  private var flagTexts: [UInt8: UInt64] = [:]
  /// The hosts that stand still.
  private var stopped: Set<String> = []
  private var hasBegun = false
  private var end = Instant.zero

  /// Begins a trace.
  ///
  /// - Parameter sink: Is handed the bytes of the file, in order, some 64 KiB at a time.
  public init(into sink: @escaping ([UInt8]) -> Void) { file = FileBuffer(sink) }

  /// Takes in an event of the world; those of one world in their order.
  ///
  /// - Parameter event: The event.
  public func add(_ event: TraceEvent) {
    end = max(end, event.time)
    switch event.kind {
    case .timer:
      let track = tracks.shelf(.timers, of: tracks.place(of: event.from))
      instant(event, names.number(of: "timer"), on: track)
    case .note:
      let track = tracks.shelf(.notes, of: tracks.place(of: event.from))
      instant(event, names.number(of: "\(event.label) \(event.detail)"), on: track)
    case .fault:
      let name = names.number(of: event.sentence)
      instant(event, name, on: tracks.root(PerfettoTracks.world))
      noteStop(event)
    case .sent, .delivered, .lost: add(packet: event)
    }
    file.flushIfLarge()
  }

  /// Adds something that lasted: a state of a host, say.
  ///
  /// - Parameters:
  ///   - name: What it was.
  ///   - host: The host whose track it stands below; `nil` for the world as a whole.
  ///   - track: The name of the track; what stands on one track must not overlap.
  ///   - range: From when to when.
  public func addSpan(
    _ name: String, of host: String? = nil, on track: String, _ range: Range<Instant>
  ) {
    let track = tracks.child(track, of: host ?? PerfettoTracks.world)
    write(.begin, at: range.lowerBound, names.number(of: name), on: track)
    write(.end, at: range.upperBound, nil, on: track)
    file.flushIfLarge()
  }

  /// Writes what is left.
  public func finish() {
    for host in stopped.sorted() { write(.end, at: end, nil, on: tracks.root(host)) }
    stopped = []
    file.flush()
  }

  // MARK: Events

  private func noteStop(_ event: TraceEvent) {
    let (host, track) = (event.from, tracks.root(event.from))
    let state: String? =
      switch event.label {
      case "crash": "crashed"
      case "suspend": "suspended"
      case "freeze": "frozen"
      case "restart", "resume": nil
      default: host
      }
    guard state != host else { return }
    if stopped.remove(host) != nil { write(.end, at: event.time, nil, on: track) }
    guard let state else { return }
    stopped.insert(host)
    write(.begin, at: event.time, names.number(of: state), on: track)
  }

  private func add(packet event: TraceEvent) {
    let sender = tracks.place(of: event.from)
    let host = event.kind == .sent ? sender : tracks.place(of: event.to)
    let (bytes, isFirst) = inFlight.note(event, of: sender)
    instant(event, packetName(event), on: tracks.shelf(.packets, of: host), endsFlow: isFirst)
    guard isFirst || event.kind == .sent, event.packet?.payloadBytes != 0 else { return }
    let track = tracks.shelf(.counter, of: sender)
    write(.counter, at: event.time, nil, on: track) { _, message in
      message.write(PerfettoFields.Event.counterValue, UInt64(bytes))
    }
  }

  private func packetName(_ event: TraceEvent) -> UInt64 {
    let loss = Int(event.loss?.number ?? 0)
    let code = (loss << 4 | Int(event.kind.number)) << 1 | (event.packet?.tcp == nil ? 0 : 1)
    if let number = packetNames[code] { return number }
    let name = event.loss.map { "lost \(event.label): \($0)" } ?? "\(event.kind) \(event.label)"
    let number = names.number(of: name)
    packetNames[code] = number
    return number
  }

  private func instant(
    _ event: TraceEvent, _ name: UInt64, on track: PerfettoTracks.Place, endsFlow: Bool = false
  ) {
    write(.instant, at: event.time, name, on: track) { trace, message in
      trace.annotate(event, &message)
      if event.kind == .sent {
        message.write(PerfettoFields.Event.flow, fixed: UInt64(event.number + 1))
      } else if endsFlow, let cause = event.cause {
        message.write(PerfettoFields.Event.lastFlow, fixed: UInt64(cause + 1))
      }
    }
  }

  private func annotate(_ event: TraceEvent, _ message: inout ProtobufWriter) {
    annotate(.event, event.number, &message)
    if let cause = event.cause { annotate(.cause, cause, &message) }
    guard let packet = event.packet else { return }
    annotate(.from, text: annotationTexts.number(of: event.from), &message)
    annotate(.to, text: annotationTexts.number(of: event.to), &message)
    annotate(.bytes, packet.payloadBytes, &message)
    annotate(.sourcePort, Int(packet.source.port), &message)
    annotate(.destinationPort, Int(packet.destination.port), &message)
    guard let tcp = packet.tcp else { return }
    annotate(.flags, text: text(of: tcp.flags), &message)
    annotate(.sequenceNumber, tcp.sequenceNumber, &message)
    annotate(.acknowledgementNumber, tcp.acknowledgementNumber, &message)
    annotate(.window, tcp.window, &message)
  }

  private func text(of flags: TCPHeader.Flags) -> UInt64 {
    if let number = flagTexts[flags.rawValue] { return number }
    let number = annotationTexts.number(of: flags.description)
    flagTexts[flags.rawValue] = number
    return number
  }

  private func annotate(
    _ remark: PerfettoFields.Remark, _ value: Int, _ message: inout ProtobufWriter
  ) {
    message.write(short: PerfettoFields.Event.annotation) { annotation in
      annotation.write(PerfettoFields.Annotation.nameNumber, remark.rawValue)
      annotation.write(PerfettoFields.Annotation.number, UInt64(bitPattern: Int64(value)))
    }
  }

  private func annotate(
    _ remark: PerfettoFields.Remark, text: UInt64, _ message: inout ProtobufWriter
  ) {
    message.write(short: PerfettoFields.Event.annotation) { annotation in
      annotation.write(PerfettoFields.Annotation.nameNumber, remark.rawValue)
      annotation.write(PerfettoFields.Annotation.textNumber, text)
    }
  }

  // MARK: Packets of the trace

  private func write(
    _ kind: PerfettoFields.Kind, at time: Instant, _ name: UInt64?, on track: PerfettoTracks.Place,
    _ body: (PerfettoTrace, inout ProtobufWriter) -> Void = { _, _ in }
  ) {
    describeTracks()
    message.write(PerfettoFields.packet) { packet in
      packet.write(PerfettoFields.Packet.timestamp, UInt64(max(0, time.nanoseconds)))
      begin(&packet)
      packet.write(PerfettoFields.Packet.event) { event in
        event.write(PerfettoFields.Event.kind, kind.rawValue)
        event.write(PerfettoFields.Event.track, track.uuid)
        if let name { event.write(PerfettoFields.Event.nameNumber, name) }
        body(self, &event)
      }
      intern(&packet)
    }
    file.append(message.bytes)
    message.bytes.removeAll(keepingCapacity: true)
  }

  private func describeTracks() {
    for track in tracks.takeNew() {
      message.write(PerfettoFields.packet) { packet in
        begin(&packet)
        packet.write(PerfettoFields.Packet.track) { track.write(into: &$0) }
      }
    }
  }

  private func begin(_ packet: inout ProtobufWriter) {
    let flags = hasBegun ? PerfettoFields.Flags.continues : PerfettoFields.Flags.begins
    packet.write(PerfettoFields.Packet.sequence, 1)
    packet.write(PerfettoFields.Packet.flags, flags)
    hasBegun = true
  }

  /// Writes the texts that the packet is the first to use.
  private func intern(_ packet: inout ProtobufWriter) {
    guard !names.new.isEmpty || !annotationNames.new.isEmpty || !annotationTexts.new.isEmpty else {
      return
    }
    let texts = [
      (PerfettoFields.Interned.name, names.new),
      (PerfettoFields.Interned.annotationName, annotationNames.new),
      (PerfettoFields.Interned.annotationText, annotationTexts.new),
    ]
    packet.write(PerfettoFields.Packet.internedData) { data in
      for (field, entries) in texts {
        for entry in entries {
          data.write(field) { text in
            text.write(PerfettoFields.Interned.number, entry.number)
            text.write(PerfettoFields.Interned.text, entry.text)
          }
        }
      }
    }
    names.forgetNew()
    annotationNames.forgetNew()
    annotationTexts.forgetNew()
  }
}
