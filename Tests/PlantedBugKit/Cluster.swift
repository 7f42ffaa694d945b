import EarshotNetwork
import EarshotSimulator

/// The peers of a run that all run one program, and what they have stored and noted.
final class Cluster<Peer: Program> {
  private(set) var notes: [[Int]] = []
  private var nodes: [Node<Peer>] = []

  /// Makes the hosts of a world, each with the program.
  init(_ hosts: [String], in world: World, _ flaw: Flaw?) {
    for (id, name) in hosts.enumerated() {
      world.makeHost(name) { [unowned self, unowned world] host, start in
        let node = Node<Peer>(
          id, of: hosts.count, on: host, flaw, disk: start.number > 0 ? nodes[id].disk : [:]
        ) { [unowned world] in
          world.hosts[$0].address
        } note: { [weak self] in
          self?.notes.append($0)
        }
        if nodes.count > id { nodes[id] = node } else { nodes.append(node) }
      }
    }
  }

  /// The programs as they are.
  var peers: [Peer] { nodes.compactMap(\.program) }
}
