import EarshotScenario
import Foundation

/// The names of the network interfaces that there are.
package struct InterfaceNames: Hashable, Sendable {
  private let names: [String]

  /// Names in the order in which they are listed.
  package init(_ names: [String]) { self.names = names }

  /// Those of this computer, in the order of the system.
  package static var ofThisHost: InterfaceNames {
    guard let list = if_nameindex() else { return InterfaceNames([]) }
    defer { if_freenameindex(list) }
    var names: [String] = []
    var next = list
    while let name = next.pointee.if_name {
      names.append(String(cString: name))
      next += 1
    }
    return InterfaceNames(names)
  }

  /// Makes sure that all of these exist.
  ///
  /// - Throws: The first that does not, and which there are.
  package func check(_ wanted: [String]) throws(UsageError) {
    guard let unknown = wanted.first(where: { !names.contains($0) }) else { return }
    let known = names.isEmpty ? "none" : names.joined(separator: ", ")
    throw UsageError(
      "interface \"\(unknown.escapedForTerminals)\" not found; available: "
        + known.escapedForTerminals)
  }
}
