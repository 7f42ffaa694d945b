import EarshotSimulator

/// Puts the files that a scenario includes in their place.
struct Inclusion {
  private let mistakes: Mistakes
  private let load: ScenarioSource.Loader?
  /// The files that have been included, each once.
  private var seen: Set<String> = []

  private static let filesMax = 64
  private static let depthMax = 8

  init(_ mistakes: Mistakes, _ load: ScenarioSource.Loader?) {
    (self.mistakes, self.load) = (mistakes, load)
  }

  /// A document with all that it includes, and the path of its file.
  mutating func document(_ root: JSON5Node, of file: String) -> JSON5Node {
    document(root, [Self.plain(file)])
  }

  private mutating func document(_ root: JSON5Node, _ chain: [String]) -> JSON5Node {
    guard let include = root["include"] else { return root }
    let own = root.setting("include", nil)
    let isList = if case .array = include.value { true } else { false }
    var lower: JSON5Node?
    for (index, node) in include.elements.enumerated() {
      let path = isList ? "include[\(index)]" : "include"
      guard let document = included(node, path, chain) else { continue }
      lower = lower.map { document.overlaid(on: $0) } ?? document
    }
    return lower.map { own.overlaid(on: $0) } ?? own
  }

  private mutating func included(
    _ node: JSON5Node, _ path: String, _ chain: [String]
  ) -> JSON5Node? {
    let note = { [mistakes] (reason: String) in mistakes.add(reason, at: node.offset, path: path) }
    guard let name = node.string, !name.isEmpty, !name.hasPrefix("/"), !name.contains("\0") else {
      note("expected the path of a file, seen from this one, found \(node.summary)")
      return nil
    }
    let file = Self.plain(Self.folder(of: chain[chain.count - 1]) + name)
    if let start = chain.firstIndex(of: file) {
      note("\(file) includes itself: \((chain[start...] + [file]).joined(separator: ", "))")
      return nil
    }
    guard seen.insert(file).inserted else { return nil }
    guard chain.count <= Self.depthMax, seen.count <= Self.filesMax else {
      note("more than \(Self.filesMax) files, or more than \(Self.depthMax) within each other")
      return nil
    }
    guard let load else {
      note("files are included by the command line alone")
      return nil
    }
    return read(file, load, note).map { document($0, chain + [file]) }
  }

  private func read(
    _ file: String, _ load: ScenarioSource.Loader, _ note: (String) -> Void
  ) -> JSON5Node? {
    let text: String
    do throws(ScenarioError) {
      text = try load(file)
    } catch {
      note("\(file): \(error.mistakes[0].reason)")
      return nil
    }
    let start = mistakes.include(text, name: file)
    guard mistakes.textBytes <= Scenario.textBytesMax else {
      note("with this file larger than \(Quantity.size(Scenario.textBytesMax))")
      return nil
    }
    do throws(JSON5Error) {
      let node = try JSON5Parser.parse(text).moved(by: start)
      if node.members == nil {
        mistakes.add(
          "expected an object { … }, found \(node.summary)", at: node.offset, path: "")
      }
      return node.members == nil ? nil : node
    } catch {
      mistakes.add(error.reason, at: start + error.offset, path: "")
      return nil
    }
  }

  // MARK: Paths

  private static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
  }

  /// A path without `.`, and without `..` behind the name of a folder.
  private static func plain(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}

extension JSON5Node {
  /// The same value, so much further behind in the texts.
  fileprivate func moved(by distance: Int) -> JSON5Node {
    let value: Value =
      switch self.value {
      case .array(let elements): .array(elements.map { $0.moved(by: distance) })
      case .object(let members):
        .object(
          members.map {
            JSON5Member(
              key: $0.key, offset: $0.offset + distance, value: $0.value.moved(by: distance))
          })
      case .null, .bool, .number, .string: self.value
      }
    return JSON5Node(value, at: offset + distance)
  }

  /// This document over another one: lists of peers, faults and expectations are joined, variables, groups and links are
  /// put together key by key, and of all else this document's is taken.
  fileprivate func overlaid(on lower: JSON5Node) -> JSON5Node {
    overlaid(on: lower) { key, upper, lower in
      switch key {
      case "peers", "faults", "expect": upper.joined(to: lower)
      case "variables", "groups": upper.overlaid(on: lower) { _, upper, _ in upper }
      case "links":
        upper.overlaid(on: lower) { key, upper, lower in
          key == "exceptions" ? upper.joined(to: lower) : upper
        }
      default: upper
      }
    }
  }

  private func joined(to lower: JSON5Node) -> JSON5Node {
    JSON5Node(.array(lower.elements + elements), at: offset)
  }

  /// The members of two objects, put together where both have a key.
  private func overlaid(
    on lower: JSON5Node, _ both: (String, JSON5Node, JSON5Node) -> JSON5Node
  ) -> JSON5Node {
    guard let upper = members, let below = lower.members else { return self }
    var all = below
    for member in upper {
      guard let index = all.firstIndex(where: { $0.key == member.key }) else {
        all.append(member)
        continue
      }
      let value = both(member.key, member.value, all[index].value)
      all[index] = JSON5Member(key: member.key, offset: member.offset, value: value)
    }
    return JSON5Node(.object(all), at: offset)
  }
}
