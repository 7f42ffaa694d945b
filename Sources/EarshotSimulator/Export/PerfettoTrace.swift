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
  private var annotationNames = PerfettoTexts()
  private var annotationTexts = PerfettoTexts()
  private var inFlight = PayloadsInFlight()
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
    case .timer: instant(event, "timer", on: tracks.child("timers", of: event.from))
    case .note:
      instant(event, "\(event.label) \(event.detail)", on: tracks.child("notes", of: event.from))
    case .fault:
      instant(event, event.sentence, on: tracks.root(PerfettoTracks.world))
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
    write(.begin, at: range.lowerBound, name, on: track)
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
    write(.begin, at: event.time, state, on: track)
  }

  private func add(packet event: TraceEvent) {
    let host = event.kind == .sent ? event.from : event.to
    let name = event.loss.map { "lost \(event.label): \($0)" } ?? "\(event.kind) \(event.label)"
    let (bytes, isFirst) = inFlight.note(event)
    instant(event, name, on: tracks.child("packets", of: host), endsFlow: isFirst)
    guard isFirst || event.kind == .sent, event.packet?.payloadBytes != 0 else { return }
    let track = tracks.child("bytes on their way", of: event.from)
    write(.counter, at: event.time, nil, on: track) { _, message in
      message.write(PerfettoFields.Event.counterValue, UInt64(bytes))
    }
  }

  private func instant(
    _ event: TraceEvent, _ name: String, on track: PerfettoTracks.Place, endsFlow: Bool = false
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
    annotate("event", event.number, &message)
    if let cause = event.cause { annotate("cause", cause, &message) }
    guard let packet = event.packet else { return }
    annotate("from", event.from, &message)
    annotate("to", event.to, &message)
    annotate("bytes", packet.payloadBytes, &message)
    annotate("source port", Int(packet.source.port), &message)
    annotate("destination port", Int(packet.destination.port), &message)
    guard let tcp = packet.tcp else { return }
    annotate("flags", tcp.flags.description, &message)
    annotate("sequence number", tcp.sequenceNumber, &message)
    annotate("acknowledgement number", tcp.acknowledgementNumber, &message)
    annotate("window", tcp.window, &message)
  }

  private func annotate(_ name: String, _ value: Int, _ message: inout ProtobufWriter) {
    message.write(PerfettoFields.Event.annotation) { annotation in
      annotation.write(PerfettoFields.Annotation.nameNumber, annotationNames.number(of: name))
      annotation.write(PerfettoFields.Annotation.number, UInt64(bitPattern: Int64(value)))
    }
  }

  private func annotate(_ name: String, _ text: String, _ message: inout ProtobufWriter) {
    message.write(PerfettoFields.Event.annotation) { annotation in
      annotation.write(PerfettoFields.Annotation.nameNumber, annotationNames.number(of: name))
      annotation.write(PerfettoFields.Annotation.textNumber, annotationTexts.number(of: text))
    }
  }

  // MARK: Packets of the trace

  private func write(
    _ kind: PerfettoFields.Kind, at time: Instant, _ name: String?, on track: PerfettoTracks.Place,
    _ body: (PerfettoTrace, inout ProtobufWriter) -> Void = { _, _ in }
  ) {
    describeTracks()
    message.write(PerfettoFields.packet) { packet in
      packet.write(PerfettoFields.Packet.timestamp, UInt64(max(0, time.nanoseconds)))
      begin(&packet)
      packet.write(PerfettoFields.Packet.event) { event in
        event.write(PerfettoFields.Event.kind, kind.rawValue)
        event.write(PerfettoFields.Event.track, track.uuid)
        if let name { event.write(PerfettoFields.Event.nameNumber, names.number(of: name)) }
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
    let texts = [
      (PerfettoFields.Interned.name, names.new),
      (PerfettoFields.Interned.annotationName, annotationNames.new),
      (PerfettoFields.Interned.annotationText, annotationTexts.new),
    ]
    guard texts.contains(where: { !$0.1.isEmpty }) else { return }
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
