/// Colours for terminals, or none.
struct Paint {
  let isOn: Bool

  func bold(_ text: String) -> String { painted(text, "1") }
  func green(_ text: String) -> String { painted(text, "32") }
  func red(_ text: String) -> String { painted(text, "31") }

  private func painted(_ text: String, _ code: String) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
