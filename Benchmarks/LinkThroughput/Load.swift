/// What is sent: messages of one size to so many receivers.
struct Load {
  let bytes: Int
  let receivers: Int
  /// How many messages keep each contender busy for about a second.
  let (plain, queue, earshot): (Int, Int, Int)

  /// What is measured, in this order.
  static let all = [
    Load(bytes: 64, receivers: 1, plain: 16_000_000, queue: 4_000_000, earshot: 4_000_000),
    Load(bytes: 1_024, receivers: 1, plain: 4_000_000, queue: 600_000, earshot: 1_500_000),
    Load(bytes: 16_384, receivers: 1, plain: 150_000, queue: 50_000, earshot: 100_000),
    Load(bytes: 65_536, receivers: 1, plain: 40_000, queue: 25_000, earshot: 30_000),
    Load(bytes: 64, receivers: 7, plain: 4_000_000, queue: 500_000, earshot: 500_000),
    Load(bytes: 1_024, receivers: 7, plain: 500_000, queue: 100_000, earshot: 200_000),
  ]

  private init(bytes: Int, receivers: Int, plain: Int, queue: Int, earshot: Int) {
    (self.bytes, self.receivers) = (bytes, receivers)
    (self.plain, self.queue, self.earshot) = (plain, queue, earshot)
  }

  /// How it is named in the report.
  var name: String {
    let size = bytes < 1_024 ? "\(bytes) B" : "\(bytes / 1_024) KiB"
    return receivers == 1 ? size : "\(size) to \(receivers)"
  }
}
