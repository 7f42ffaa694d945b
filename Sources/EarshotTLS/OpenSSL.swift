import COpenSSL

/// What OpenSSL does to all of its callers: it returns 1, or leaves its reasons in a queue of the thread.
enum OpenSSL {
  /// The bytes that a call of OpenSSL writes.
  ///
  /// - Precondition: The call succeeds: it has what it needs, short of memory.
  static func bytes(
    _ count: Int, _ what: String, _ fill: (UnsafeMutablePointer<UInt8>) -> CInt
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard let base = buffer.baseAddress else { return }
      require(fill(base) == 1, what)
      initialized = count
    }
  }

  /// Traps when OpenSSL has refused what cannot fail, such as a setting that every OpenSSL 3 has.
  static func require(_ isDone: Bool, _ what: String) {
    guard isDone else { preconditionFailure("OpenSSL cannot \(what): \(takeReason())") }
  }

  /// The object that a call of OpenSSL makes.
  static func make<Object>(_ what: String, _ object: Object?) -> Object {
    guard let object else { preconditionFailure("OpenSSL cannot \(what): \(takeReason())") }
    return object
  }

  /// The reason of the thread's last failure, in OpenSSL's words; empties the queue.
  static func takeReason() -> String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let text = ERR_reason_error_string(code) else { return "no reason given" }
    return String(cString: text)
  }
}
