/// What follows once the lock of a channel is released: who waited goes on.
struct Effects: Sendable {
  var resumptions: [@Sendable () -> Void] = []
  var flushed: (@Sendable () -> Void)?
  var wakeup: Wakeup?

  mutating func settle<Value: Sendable>(_ promise: Promise<Value>, _ value: Value) {
    resumptions.append { promise.fulfil(value) }
  }

  func apply() {
    for resume in resumptions { resume() }
    flushed?()
    wakeup?.raise()
  }
}
