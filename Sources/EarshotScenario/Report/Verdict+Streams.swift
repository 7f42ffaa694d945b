import EarshotSimulator

extension Verdict {
  /// One direction of a stream, and what became of it.
  public struct Stream: Hashable, Sendable {
    /// How a direction ended.
    public enum Ending: String, Hashable, Sendable, CaseIterable {
      /// Everything was read to the end; for the writer, everything was acknowledged.
      case complete
      /// A program reset the stream, or read it no more.
      case reset
      /// The program of this side stopped reading.
      case stopped
      /// The member at the other end left.
      case left
      /// This side's session ended.
      case sessionEnded
      /// The program lost its memory.
      case crashed
    }

    /// The name that the scenario gives it.
    public let name: String
    /// The writer's name.
    public let from: String
    /// The reader's name.
    public let to: String
    /// When it was opened, since the start of the run.
    public let opened: Duration
    /// How many bytes the writer's calls took.
    public let written: Int
    /// How many bytes the reader got.
    public let read: Int
    /// How it ended for the reader; `nil` when it went on to the end of the run.
    public let ending: Ending?
    /// When it ended for the reader.
    public let ended: Duration?

    /// How many bytes had been read at which times, the earliest first.
    private let reads: [StreamLog.Read]

    init(_ flow: StreamLog.Flow) {
      (name, from, to) = (flow.name, flow.direction.from, flow.direction.to)
      (opened, written, read) = (flow.opened, flow.written, flow.read)
      (ending, ended) = (flow.readerEnd?.ending, flow.readerEnd?.time)
      reads = flow.reads
    }

    /// How many bytes had been read at which times; of each step, the first and the last.
    func reads(inSteps width: Duration) -> [StreamLog.Read] { reads.thinned(inSteps: width) }
  }
}

extension [StreamLog.Read] {
  /// Of each step of a width, the first and the last.
  func thinned(inSteps width: Duration) -> [StreamLog.Read] {
    guard width > .zero else { return self }
    let steps = map { Int($0.time / width) }
    return indices.compactMap { index in
      let isFirst = index == 0 || steps[index - 1] != steps[index]
      let isLast = index == count - 1 || steps[index + 1] != steps[index]
      return isFirst || isLast ? self[index] : nil
    }
  }
}
