import Earshot
import EarshotCore
import EarshotSimulator

extension PeerDriver {
  /// Begins to advertise and to browse, as far as the plan says so.
  func discover(_ peer: Peer) async throws(EarshotError) {
    for service in plan.discovery.advertised { try await advertise(service, peer) }
    for type in plan.discovery.browsed { try await browse(type ?? scenario.service, peer) }
  }

  private func advertise(_ service: ServicePlan, _ peer: Peer) async throws(EarshotError) {
    let info = visibility.infos[service.type] ?? service.info
    let advertiser = try await calling(.advertise) { () async throws(EarshotError) in
      try await peer.advertise(service.type ?? scenario.service, info: info)
    }
    visibility.advertisers.append(advertiser)
    addTask("invitations") { driver in
      for await invitation in advertiser.invitations { driver.invited(invitation) }
    }
  }

  private func browse(_ type: String, _ peer: Peer) async throws(EarshotError) {
    let browser = try await calling(.browse) { () async throws(EarshotError) in
      try await peer.browse(type)
    }
    visibility.browsers.append(browser)
    addTask("browser") { driver in
      for await event in browser.events { driver.saw(event, type) }
    }
  }

  func hide() async {
    visibility.isHidden = true
    let (advertisers, browsers) = (visibility.advertisers, visibility.browsers)
    (visibility.advertisers, visibility.browsers) = ([], [])
    for advertiser in advertisers { await advertiser.stop() }
    for browser in browsers { await browser.stop() }
    guests.found = [:]
  }

  /// Is visible again, unless it is so already: at once, or when the peer is no longer suspended.
  func show() async {
    visibility.isHidden = false
    guard let peer, host.isUp, !hasStopped, !visibility.isAsleep,
      visibility.advertisers.isEmpty, visibility.browsers.isEmpty
    else { return }
    do throws(EarshotError) { try await discover(peer) } catch { fail(error) }
  }

  /// Tells something else with a service, at once or as soon as the program is visible again.
  func update(_ info: [String: String]?, _ type: String?) async {
    guard !hasStopped else { return }
    visibility.infos[type] = .some(info)
    let wanted = type ?? scenario.service
    guard let advertiser = visibility.advertisers.first(where: { $0.serviceType == wanted }) else {
      return
    }
    do throws(EarshotError) {
      try await calling(.update) { () async throws(EarshotError) in
        try await advertiser.update(info: info)
      }
    } catch { fail(error) }
  }

  /// Calls itself something else.
  func rename(to name: String, _ peer: Peer) async {
    guard !hasStopped else { return }
    do throws(EarshotError) {
      try await calling(.rename) { () async throws(EarshotError) in
        try await peer.rename(to: name)
      }
    } catch { fail(error) }
  }

  // MARK: Finding

  func saw(_ event: BrowserEvent, _ type: String) {
    let detail = scenario.hasSeveralServices ? type : ""
    switch event {
    case .found(let peer):
      note(.found, peer.id, detail)
      guests.found[peer.id, default: []].insert(type)
      beginInviting(peer.id)
    case .updated(let peer): note(.updated, peer.id, detail)
    case .lost(let peer):
      note(.lost, peer.id, detail)
      guests.found[peer.id]?.remove(type)
      if guests.found[peer.id]?.isEmpty ?? false { guests.found[peer.id] = nil }
    case .unavailable, .available: break  // A simulated host keeps its interface and its ports.
    }
  }
}
