#if EARSHOT_FUZZ
  import CFuzzer
  package import EarshotSimulator
  import Foundation

  /// The toolchain's libFuzzer, which looks for inputs that reach code, or schedules, that none has reached before.
  package enum Fuzzer {
    private nonisolated(unsafe) static var body: (([UInt8]) -> Void)?

    /// Runs a body for one input after the other, until it ends the process or the options do.
    ///
    /// - Parameters:
    ///   - options: Options of libFuzzer, and folders of inputs.
    ///   - body: What is run.
    package static func run(_ options: [String], _ body: @escaping ([UInt8]) -> Void) -> Never {
      Self.body = body
      let words = [CommandLine.arguments[0]] + options
      var count = CInt(words.count)
      let arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
        capacity: words.count + 1)
      for (index, word) in words.enumerated() { arguments[index] = strdup(word) }
      arguments[words.count] = nil
      var pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
      let status = LLVMFuzzerRunDriver(&count, &pointer) { data, size in
        Fuzzer.body?(Array(UnsafeBufferPointer(start: data, count: size)))
        return 0
      }
      exit(status)
    }

    /// Tells it of a schedule: which choice followed which, and after how many decisions.
    package static func note(_ schedule: ScheduleRecord) {
      var last = (decision: 0, index: 0)
      for choice in schedule.choices {
        let gap = min(choice.decision - last.decision, 15)
        fuzzer_count(UInt64((last.index * 67 + choice.index) * 16 + gap))
        last = (choice.decision, choice.index)
      }
    }
  }
#endif
