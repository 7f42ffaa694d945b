package import EarshotCore

/// What is known of a host that bears on whether it meets others.
package struct HostFacts: Hashable, Sendable {
  /// A network interface.
  package struct Interface: Hashable, Sendable {
    package var name: String
    /// Whether it is switched on; it may still lack a signal.
    package var isEnabled = true
    /// Whether it is up and its cable, or its radio, has a signal.
    package var isUp = true
    package var carriesMulticast = true
    package var hasIPv4 = true
    package var hasIPv6 = true
    package var isLoopback = false
    /// Whether it has a single other end, as those of virtual private networks.
    package var isTunnel = false
    /// Whether the user named it as one to look at.
    package var isChosen = false
    /// The addresses that are reached over it without a router.
    package var networks: [AddressRange] = []

    /// Whether it has an address that peers can have.
    package var hasAddress: Bool { hasIPv4 || hasIPv6 }

    /// An interface that is as it should be.
    package init(_ name: String) { self.name = name }
  }

  /// A program that runs on the host.
  package struct Program: Hashable, Sendable {
    package var name: String
    package var process: Int
    /// The name of its systemd service; `nil` for other programs.
    package var service: String?
    /// The terminal that it runs in, such as `pts/3`.
    package var terminal: String?
    /// Whether it is this program, started once more.
    package var isEarshot = false

    /// A program with the given parts.
    package init(_ name: String, process: Int, service: String? = nil) {
      (self.name, self.process, self.service) = (name, process, service)
    }

    /// The name and the process, for people.
    var words: String { "\(name) (process \(process))" }

    /// The command or the key that ends it; a program in a terminal is ended there.
    func stopCommand(_ programs: Programs) -> String {
      if let service, programs.has("systemctl") {
        return programs.asRoot("systemctl stop \(service)")
      }
      if let terminal { return "press Ctrl-C in its terminal, \(terminal)" }
      return programs.asRoot("kill \(process)")
    }
  }

  /// A peer that is seen or that a ticket names, and how dialling it ended.
  package struct Sighting: Hashable, Sendable {
    /// How a dial ended.
    package enum Answer: Hashable, Sendable { case reached, refused, silent }
    package var name: String
    package var address: String
    package var port: UInt16
    package var answer: Answer
    /// Whether the address is one of this host itself.
    package var isHere = false
    /// Whether multicast DNS found it; otherwise it is known from a ticket alone.
    package var isSeen = true
    /// Whether its host answers on the link, whatever becomes of connections; `nil` if that is not
    /// known.
    package var answersOnLink: Bool?

    /// A sighting with the given parts.
    package init(_ name: String, at address: String, port: UInt16, _ answer: Answer) {
      (self.name, self.address, self.port, self.answer) = (name, address, port, answer)
    }

    var ip: IPAddress? { IPAddress(address)?.unmapped }
  }

  /// An identity that several hosts announce, as after a disk was copied.
  package struct Clones: Hashable, Sendable {
    package var name: String
    /// An address of each host.
    package var addresses: [IPAddress]

    /// An identity with the given parts.
    package init(_ name: String, at addresses: [IPAddress]) {
      (self.name, self.addresses) = (name, addresses)
    }
  }

  /// All interfaces, also those that are down.
  package var interfaces: [Interface] = []
  /// What discovery itself says is wrong.
  package var problem: DiscoveryProblem?
  /// Other programs that hold UDP port 5353.
  package var portHolders: [Program] = []
  /// Those of them that hold it for IPv6.
  package var portHoldersV6: [Program] = []
  /// Whether a packet to the group of multicast DNS comes back to its sender; `nil` when that was
  /// not tried.
  package var hearsItself: Bool?
  /// What the firewall lets through.
  package var firewall = Firewall()
  /// Whether the firewall's rules could be read.
  package var isFirewallRead = true
  /// The ports, of TCP and UDP, that a peer of this host may have.
  package var peerPorts = Traffic.ephemeral
  /// Where packets go when a program names no interface.
  package var routes = RoutingTables()
  /// Whether this is a container with a network of its own.
  package var isContainer = false
  /// What is known of the clock.
  package var clock = Clock()
  /// The peers that were seen, or are known from a ticket.
  package var sightings: [Sighting] = []
  /// The identities that several hosts announce.
  package var clones: [Clones] = []
  /// The finding about the peer that was asked for.
  package var target: Finding?
  /// The programs that commands may name.
  package var programs = Programs.all

  /// What is known of the host's clock, which nothing on the host itself proves to be right.
  package struct Clock: Hashable, Sendable {
    /// What is from a time that the clock has yet to show: a file by its path, or this program.
    package var newerThanNow: String?
    /// How far it is ahead of the clock that runs while the host is off; by less than nothing if it
    /// is behind.
    package var aheadOfHardware: Duration?
    /// Whether the system says that it takes the time from no other host.
    package var isAlone = false
  }

  /// Nothing known.
  package init() {}
}
