/// Hosts of one kind that a test makes together, and of which a reduction may leave some out.
package struct HostGroup: Hashable, Sendable {
  /// The names that the test asks for, in their order.
  package let names: [String]
  /// How many of them there are at least.
  package let atLeast: Int

  /// How many hosts of the group some names are.
  func count(in hosts: Set<String>) -> Int { names.count(where: hosts.contains) }
}
