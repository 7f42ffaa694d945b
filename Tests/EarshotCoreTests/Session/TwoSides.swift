import EarshotCore

/// Two complete sides with a lossy network between them, as one value.
///
/// Every link is first in, first out in each direction; between links, and between a link and a dial, any
/// order is possible. A break loses what is on the way, and each end learns of it in its own time. Side 0 has
/// the smaller PeerID. Each side has one session.
struct TwoSides: Hashable {
  enum Frame: Hashable {
    case invite(InvitationTable.ReceivedInvite, ended: [EndedMembership])
    case accept(InvitationID, SessionID, MembershipID)
    case decline(InvitationID, DeclineReason)
    case cancel(InvitationID, CancelReason)
    case attach(Attach)
    case attached(MembershipID, epoch: UInt64)
    case leave(CloseCode)
    case acknowledged  // Everything, LEAVE included.
    case close(CloseCode)
    case broken
  }
  enum Step: Hashable {
    case dialSucceeds(Int, index: Int)
    case dialFails(Int, index: Int)
    case deliver(to: Int, link: Int)
    case breaks(link: Int)
    case invite(Int), accept(Int), takeBack(Int), decline(Int), cancel(Int)
    case suspend(Int), resume(Int)
    case leave(Int)
    case deadline(Int, ofTable: Bool)
    case waitEnds(Int)  // For what has taken the place of an acceptance.
  }
  struct Link: Hashable {
    let token: LinkToken
    var queues: [[Frame]] = [[], []]  // Towards each side.
    var isOpen = [true, true]
  }
  enum Dial: Hashable { case invitation(InvitationID), membership }
  /// What may happen besides what must.
  struct Budget: Hashable {
    var invites = [0, 0]
    var breaks = 0
    var dialFailures = 0
    var earlyDeadlines = 0  // While frames are on the way.
    var declines = 0
    var cancels = 0
    var takenBack = 0
    var suspensions = 0
    var leaves = 0
    var mayAccept = true
    var isOfSeveral = [false, false]  // What the INVITE of each side says.
    var usersComeFirst = false  // No deadline passes while a user may do something.
    var timeout = Duration.seconds(20)
    var patience = Duration.seconds(30)
  }
  struct Side: Hashable {
    let id: PeerID
    let session: SessionID
    var table: InvitationTable
    var membership: MembershipMachine?
    var tableWake: Instant?
    var membershipWake: Instant?
    var hasJoined = false
    var farewell: CloseCode?  // LEAVE stands in the stream.
    var proposed = MembershipID.none
    var ended = EndedMemberships()
    var acceptances: [InvitationTable.InboundID: MembershipID] = [:]
    var grants: [InvitationID: MembershipID] = [:]
    var dials: [Dial] = []
    var asked: [LinkToken] = []  // Where the membership sent ATTACH.
    var offers: [InvitationTable.InboundID] = []
    var accepting: [InvitationTable.InboundID] = []
    var attaching: [InvitationTable.InboundID] = []
    var superseded: [InvitationTable.InboundID] = []
    var supersededUntil: Instant?
    var invited: [InvitationID] = []
    var outcomes: [InvitationOutcome] = []
    var isInterrupted = false
    var isSuspended = false
    var interruptions = 0
    var departures: [DepartureReason] = []
    var offersMade = 0
  }

  var now = Instant.zero
  var sides: [Side]
  var links: [Link] = []
  var budget: Budget
  var linksMade: UInt64 = 0
  var breakages = 0
  var complaint: String?

  init(_ budget: Budget) {
    self.budget = budget
    sides = (0..<2).map { side in
      let id = Self.peer(side)
      let random = RandomStream(seed: UInt64(side))
      return Side(
        id: id, session: SessionID(rawValue: UInt64(side + 1)),
        table: InvitationTable(of: id, random: random))
    }
  }

  /// Two sides that are connected over a first link already.
  static func connected(_ budget: Budget) -> TwoSides {
    var world = TwoSides(budget)
    world.linksMade = 1
    let link = Link(token: LinkToken(rawValue: 1))
    world.links = [link]
    let membership = MembershipID.none.next(bySmaller: true)
    for side in 0..<2 { world.join(side, membership, over: link.token) }
    return world
  }

  /// Two sides that others have told of each other: each looks for the other, and proposes a membership.
  static func introduced(_ budget: Budget) -> TwoSides {
    var world = TwoSides(budget)
    for side in 0..<2 { world.expectAttaching(side, world.propose(side)) }
    return world
  }

  static func peer(_ side: Int) -> PeerID {
    var first = RandomStream(seed: 0)
    var second = RandomStream(seed: 1)
    let pair = [PeerID(random: &first), PeerID(random: &second)].sorted()
    return pair[side]
  }

  /// How long frames and dials are ever on their way.
  private static let delayMax = Duration.seconds(10)

  // MARK: What may happen

  var steps: [Step] {
    var steps = mustHappen
    for side in 0..<2 {
      let isAwake = !sides[side].isSuspended
      if isAwake, budget.invites[side] > 0, !isMember(side) { steps.append(.invite(side)) }
      if !sides[side].offers.isEmpty {
        if isAwake, budget.mayAccept { steps.append(.accept(side)) }
        if budget.declines > 0 { steps.append(.decline(side)) }
      }
      if budget.cancels > 0, sides[side].invited.count > sides[side].outcomes.count {
        steps.append(.cancel(side))
      }
      if budget.takenBack > 0, !sides[side].accepting.isEmpty { steps.append(.takeBack(side)) }
      if budget.suspensions > 0, isMember(side) || !sides[side].table.isEmpty,
        !sides[side].isSuspended
      {
        steps.append(.suspend(side))
      }
      if sides[side].isSuspended { steps.append(.resume(side)) }
      if budget.leaves > 0, sides[side].hasJoined { steps.append(.leave(side)) }
      if budget.dialFailures > 0, !sides[1 - side].isSuspended {
        steps += sides[side].dials.indices.map { .dialFails(side, index: $0) }
      }
    }
    if budget.breaks > 0 {
      steps += links.indices.filter { links[$0].isOpen.contains(true) && !isBroken($0) }
        .map { .breaks(link: $0) }
    }
    let waits = budget.usersComeFirst ? !steps.isEmpty : !mustHappen.isEmpty
    if let (instant, step) = nextDeadline {
      let mayBeEarly = budget.earlyDeadlines > 0 && instant <= now + Self.delayMax
      if !waits || mayBeEarly { steps.append(step) }
    }
    return steps
  }

  /// Frames on the way and dials under way; faults and users aside, these come before any deadline.
  var mustHappen: [Step] {
    var steps: [Step] = []
    for side in 0..<2 {
      let isHeard = !sides[1 - side].isSuspended
      steps += sides[side].dials.indices.map {
        isHeard ? .dialSucceeds(side, index: $0) : .dialFails(side, index: $0)
      }
      steps += links.indices.filter { !links[$0].queues[side].isEmpty }
        .map { .deliver(to: side, link: $0) }
    }
    return steps
  }

  var nextDeadline: (Instant, Step)? {
    let all: [(Instant, Step)] = (0..<2).flatMap { side in
      [
        sides[side].tableWake.map { ($0, Step.deadline(side, ofTable: true)) },
        sides[side].membershipWake.map { ($0, Step.deadline(side, ofTable: false)) },
        sides[side].supersededUntil.map { ($0, Step.waitEnds(side)) },
      ].compactMap { $0 }
    }
    return all.min { $0.0 < $1.0 }
  }

  func isMember(_ side: Int) -> Bool { sides[side].membership.map { !$0.isGone } ?? false }

  private func isBroken(_ link: Int) -> Bool {
    links[link].queues.contains { $0.contains(.broken) }
  }

  // MARK: What happens

  mutating func take(_ step: Step) {
    switch step {
    case .dialSucceeds(let side, let index): opens(sides[side].dials.remove(at: index), of: side)
    case .dialFails(let side, let index):
      if !sides[1 - side].isSuspended {
        budget.dialFailures -= 1
        breakages += 1
      }
      switch sides[side].dials.remove(at: index) {
      case .invitation(let id): tellTable(side, .dialFailed(id))
      case .membership: tellMembership(side, .dialFailed)
      }
    case .deliver(let side, let link): deliver(to: side, link)
    case .breaks(let link):
      budget.breaks -= 1
      breakages += 1
      for side in 0..<2 { links[link].queues[side] = links[link].isOpen[side] ? [.broken] : [] }
    case .invite(let side): invite(side)
    case .accept(let side):
      let offer = sides[side].offers.removeFirst()
      sides[side].accepting.append(offer)
      tellTable(side, .acceptRequested(offer, sides[side].session))
    case .takeBack(let side):
      budget.takenBack -= 1
      breakages += 1
      tellTable(side, .dismissRequested(sides[side].accepting[0]))
    case .decline(let side):
      budget.declines -= 1
      tellTable(side, .declineRequested(sides[side].offers.removeFirst(), .declined))
    case .cancel(let side):
      budget.cancels -= 1
      sides[side].invited.last.map { tellTable(side, .cancelRequested($0)) }
    case .suspend(let side):
      budget.suspensions -= 1
      breakages += 1
      sides[side].isSuspended = true
      tellTable(side, .suspendRequested)
      tellMembership(side, .suspendRequested)
    case .resume(let side):
      sides[side].isSuspended = false
      tellMembership(side, .resumeRequested)
      tellTable(side, .resumeRequested)
    case .leave(let side):
      budget.leaves -= 1
      tellMembership(side, .leaveRequested(.disconnected, within: .seconds(60)))
    case .deadline(let side, let ofTable): pass(side, ofTable: ofTable)
    case .waitEnds(let side):
      noteDeadline(sides[side].supersededUntil)
      for id in sides[side].superseded { fail(id, of: side) }
    }
    links.removeAll { !$0.isOpen.contains(true) }
  }

  private mutating func pass(_ side: Int, ofTable: Bool) {
    noteDeadline(ofTable ? sides[side].tableWake : sides[side].membershipWake)
    if ofTable {
      sides[side].tableWake = nil
      tellTable(side, .deadlineReached)
    } else {
      sides[side].membershipWake = nil
      tellMembership(side, .deadlineReached)
    }
  }

  private mutating func noteDeadline(_ instant: Instant?) {
    if budget.earlyDeadlines > 0, !mustHappen.isEmpty || budget.usersComeFirst {
      budget.earlyDeadlines -= 1
      breakages += 1
    }
    now = max(now, instant ?? now)
  }

  private mutating func invite(_ side: Int) {
    budget.invites[side] -= 1
    let id = InvitationID(high: UInt64(side), low: UInt64(sides[side].invited.count))
    sides[side].invited.append(id)
    tellTable(side, .inviteRequested(wish(side, id)))
  }

  private func wish(_ side: Int, _ id: InvitationID) -> InvitationTable.Wish {
    InvitationTable.Wish(
      invitation: id, peer: sides[1 - side].id, session: sides[side].session,
      serviceType: "chat", timeout: budget.timeout, isOfSeveral: budget.isOfSeveral[side])
  }

  private mutating func opens(_ dial: Dial, of side: Int) {
    linksMade += 1
    let token = LinkToken(rawValue: linksMade)
    links.append(Link(token: token))
    switch dial {
    case .invitation(let id): tellTable(side, .dialOpened(id, token))
    case .membership:
      let ended = sides[side].ended[pair(side)]?.membership ?? .none
      if sides[side].membership?.needsNumber(after: ended) == true {
        tellMembership(side, .numbered(propose(side)))
      }
      tellMembership(side, .dialOpened(token))
    }
  }

  private mutating func deliver(to side: Int, _ link: Int) {
    let token = links[link].token
    let frame = links[link].queues[side].removeFirst()
    switch frame {
    case .invite(let invite, let ended):
      if let current = sides[side].membership?.id, sides[side].hasJoined,
        ended.contains(where: { $0.session == sides[side].session && $0.membership >= current })
      {
        tellMembership(side, .endRequested(.lost, .givenUp))
      }
      let membership = sides[side].hasJoined ? sides[side].session : nil
      tellTable(side, .inviteReceived(token, invite.knowing(membership: membership)))
    case .accept(let id, let session, let membership):
      accepted(side, token, id, session, membership)
    case .decline(let id, let reason): tellTable(side, .declineReceived(token, id, reason))
    case .cancel(let id, let reason): tellTable(side, .cancelReceived(token, id, reason))
    case .attach(let request): attach(side, token, request)
    case .attached(let membership, let epoch):
      if sides[side].asked.contains(token) {
        tellMembership(side, .attachedReceived(token, membership, epoch: epoch))
      } else {
        let id = sides[side].table.inbound(over: token)
        if let id, sides[side].acceptances[id] != membership { complain("another membership") }
        tellTable(side, .attachedReceived(token))
      }
    case .leave(let code):
      send(.acknowledged, over: token, by: side)
      tellMembership(side, .leaveReceived(code))
    case .acknowledged: tellMembership(side, .streamFlushed)
    case .close(let code):
      links[link].isOpen[side] = false
      tellTable(side, .closeReceived(token, code))
      tellMembership(side, .closeReceived(token, code))
    case .broken:
      links[link].isOpen[side] = false
      tellTable(side, .linkBroken(token))
      tellMembership(side, .linkBroken(token, .linkBroken))
    }
  }

  private mutating func accepted(
    _ side: Int, _ token: LinkToken, _ id: InvitationID, _ session: SessionID,
    _ membership: MembershipID
  ) {
    let other = sides[1 - side]
    let own = sides[side].table.unconfirmed(
      of: other.id, source: other.session, destination: sides[side].session)
    let isConfirming = own.flatMap { sides[side].acceptances[$0] } == membership
    if sides[side].membership?.isAsking == true || isConfirming { return }
    if sides[side].hasJoined, sides[side].membership?.id == membership {
      return tellTable(side, .peerJoined(id))
    }
    if let sought = sides[side].membership, !sought.isGone, sought.id == membership { return }
    if membership.isProposed(bySmaller: side == 0) {
      sides[side].ended.remember(membership, of: pair(side), .givenUp)
      close(token, .givenUp, by: side)
      return tellTable(side, .linkBroken(token))
    }
    sides[side].grants[id] = membership
    tellTable(side, .acceptReceived(token, id, session))
  }

  private mutating func attach(_ side: Int, _ token: LinkToken, _ request: Attach) {
    let other = sides[1 - side]
    let awaiting = sides[side].table.unconfirmed(
      of: other.id, source: other.session, destination: sides[side].session)
    let named = awaiting.flatMap { sides[side].acceptances[$0] }
    let isThere = sides[side].hasJoined && sides[side].membership?.id == named
    if let awaiting, request.membership == named || request.isProposal && !isThere {
      sides[side].acceptances[awaiting] = request.membership
      tellTable(side, .attachReceived(token, awaiting))
      guard links.contains(where: { $0.token == token && $0.isOpen[side] }) else { return }
    }
    switch verdict(side, on: request) {
    case .current:
      let event = MembershipMachine.Event.attachReceived(
        token, request.membership, epoch: request.epoch)
      tellMembership(side, event)
    case .refuse(let code): close(token, code, by: side)
    case .begin: close(token, .notIntroduced, by: side)
    case .supersede:
      tellMembership(side, .endRequested(.lost, .givenUp))
      close(token, .notIntroduced, by: side)
    }
  }

  private func pair(_ side: Int) -> EndedMemberships.Pair {
    let other = sides[1 - side]
    return EndedMemberships.Pair(
      local: sides[side].session, peer: other.id, remote: other.session)
  }

  private func ended(_ side: Int) -> [EndedMembership] {
    let ended = sides[side].ended.last(of: sides[side].session, with: sides[1 - side].id)
    guard let current = sides[side].membership, !current.isGone else { return ended }
    return ended.map {
      EndedMembership(session: $0.session, membership: min($0.membership, current.id.previous))
    }
  }

  private func verdict(_ side: Int, on request: Attach) -> EndedMemberships.Verdict {
    let current = sides[side].membership.flatMap { machine in
      machine.isGone
        ? nil
        : EndedMemberships.Current(membership: machine.id, hasJoined: sides[side].hasJoined)
    }
    return sides[side].ended.verdict(on: request, of: pair(side), current: current)
  }

  private mutating func propose(_ side: Int) -> MembershipID {
    let last = sides[side].ended[pair(side)]?.membership ?? .none
    sides[side].proposed = max(last, sides[side].proposed).next(bySmaller: side == 0)
    return sides[side].proposed
  }

  private mutating func send(_ frame: Frame, over token: LinkToken, by side: Int) {
    guard let link = links.firstIndex(where: { $0.token == token }), links[link].isOpen[side]
    else { return complain("side \(side) sends \(frame) over a link that it has not") }
    let isHeard = links[link].isOpen[1 - side] && !isBroken(link)
    if isHeard { links[link].queues[1 - side].append(frame) }
  }

  private mutating func close(_ token: LinkToken, _ code: CloseCode, by side: Int) {
    send(.close(code), over: token, by: side)
    guard let link = links.firstIndex(where: { $0.token == token }) else { return }
    links[link].isOpen[side] = false
    links[link].queues[side] = []
  }

  mutating func complain(_ text: String) { complaint = complaint ?? text }

  // MARK: The shells

  private mutating func tellTable(_ side: Int, _ event: InvitationTable.Event) {
    var actions: [InvitationTable.Action] = []
    sides[side].table.handle(event, at: now, into: &actions)
    for action in actions { perform(action, of: side) }
  }

  private mutating func perform(_ action: InvitationTable.Action, of side: Int) {
    switch action {
    case .dial(let id): sides[side].dials.append(.invitation(id))
    case .cancelDial(let id): sides[side].dials.removeAll { $0 == .invitation(id) }
    case .sendInvite(let link, let id):
      let ended = ended(side)
      send(.invite(received(side, id), ended: ended), over: link, by: side)
    case .sendAttached(let link, let id):
      send(.attached(sides[side].grants[id] ?? .none, epoch: 1), over: link, by: side)
    case .sendCancel(let link, let id, let reason):
      send(.cancel(id, reason), over: link, by: side)
    case .sendAccept(let link, let id, let session):
      let current = sides[side].hasJoined ? sides[side].membership?.id : nil
      let membership = sides[side].acceptances[id] ?? current ?? propose(side)
      sides[side].acceptances[id] = membership
      waitNoLonger(for: id, of: side)
      send(.accept(id.invitation, session, membership), over: link, by: side)
    case .sendDecline(let link, let id, let reason):
      send(.decline(id.invitation, reason), over: link, by: side)
    case .closeLink(let link, let code): close(link, code, by: side)
    case .wake(let instant): sides[side].tableWake = instant
    case .cancelWake: sides[side].tableWake = nil
    case .reportOffered(let id):
      sides[side].offers.append(id)
      sides[side].offersMade += 1
    case .reportWithdrawn(let id, _):
      if !sides[side].offers.contains(id) { complain("an offer is withdrawn that was not made") }
      sides[side].offers.removeAll { $0 == id }
    case .reportSuperseded(let id):
      if sides[side].hasJoined {
        fulfil(id, of: side)
        return tellTable(side, .inviterJoined(id))
      }
      sides[side].superseded.append(id)
      sides[side].supersededUntil = now + InboundInvitationMachine.confirmationTimeout
    case .reportTakenBack(let id):
      sides[side].attaching.removeAll { $0 == id }
      fail(id, of: side)
      tellMembership(side, .leaveRequested(.removed, within: .seconds(5)))
    case .reportFailed(let id, _): forget(id, of: side)
    case .reportOutcome(_, let outcome): sides[side].outcomes.append(outcome)
    case .reportJoined(let joining): join(side, membership(side, of: joining), over: joining.link)
    case .reportAttaching(let joining):
      expectAttaching(side, membership(side, of: joining))
      guard case .inbound(let id) = joining.origin else { break }
      if sides[side].hasJoined {
        tellTable(side, .inviterJoined(id))
      } else {
        sides[side].attaching.append(id)
      }
    }
  }

  private mutating func membership(
    _ side: Int, of joining: InvitationTable.Joining
  ) -> MembershipID {
    switch joining.origin {
    case .outbound(let id): return sides[side].grants[id] ?? .none
    case .inbound(let id):
      fulfil(id, of: side)
      return sides[side].acceptances[id] ?? .none
    }
  }

  /// What took the place of an acceptance, or the attaching, has come to nothing.
  private mutating func fail(_ id: InvitationTable.InboundID, of side: Int) {
    forget(id, of: side)
    tellTable(side, .joiningFailed(id, sides[side].session))
  }

  /// An acceptance has led to nothing.
  private mutating func forget(_ id: InvitationTable.InboundID, of side: Int) {
    waitNoLonger(for: id, of: side)
    fulfil(id, of: side)
    guard let membership = sides[side].acceptances[id],
      !sides[side].hasJoined || sides[side].membership?.id != membership
    else { return }
    sides[side].ended.remember(membership, of: pair(side), .expired)
  }

  private mutating func waitNoLonger(for id: InvitationTable.InboundID, of side: Int) {
    sides[side].superseded.removeAll { $0 == id }
    if sides[side].superseded.isEmpty { sides[side].supersededUntil = nil }
  }

  private mutating func fulfil(_ id: InvitationTable.InboundID, of side: Int) {
    sides[side].accepting.removeAll { $0 == id }
  }

  private func received(_ side: Int, _ id: InvitationID) -> InvitationTable.ReceivedInvite {
    let wish = wish(side, id)
    let invite = Invite(
      invitation: id, session: wish.session,
      timeoutMilliseconds: UInt64(wish.timeout.nanoseconds / 1_000_000),
      isOfSeveral: wish.isOfSeveral, serviceType: wish.serviceType, context: [])
    return InvitationTable.ReceivedInvite(
      invite, from: sides[side].id, at: .v4(UInt32(side)), isAdvertised: true, membership: nil)
  }

  private mutating func join(_ side: Int, _ membership: MembershipID, over link: LinkToken) {
    if let machine = sides[side].membership, !machine.isGone {
      if sides[side].hasJoined, machine.id >= membership {
        return close(link, .duplicate, by: side)
      }
      tellMembership(side, .endRequested(.lost, .givenUp))
    }
    var actions: [MembershipMachine.Action] = []
    sides[side].membership = MembershipMachine(
      membership, over: link, local: sides[side].id, remote: sides[1 - side].id,
      configuration: configuration, random: RandomStream(seed: linksMade), into: &actions)
    perform(actions, of: side)
  }

  private mutating func expectAttaching(_ side: Int, _ membership: MembershipID) {
    if let machine = sides[side].membership, !machine.isGone {
      if !sides[side].hasJoined || machine.id >= membership { return }
      tellMembership(side, .endRequested(.lost, .givenUp))
    }
    var actions: [MembershipMachine.Action] = []
    sides[side].membership = MembershipMachine(
      proposing: membership, to: sides[1 - side].id, from: sides[side].id,
      configuration: configuration, random: RandomStream(seed: linksMade), at: now,
      into: &actions)
    perform(actions, of: side)
  }

  private var configuration: MembershipMachine.Configuration {
    var configuration = MembershipMachine.Configuration()
    configuration.patience = budget.patience
    return configuration
  }

  private mutating func tellMembership(_ side: Int, _ event: MembershipMachine.Event) {
    var actions: [MembershipMachine.Action] = []
    sides[side].membership?.handle(event, at: now, into: &actions)
    perform(actions, of: side)
  }

  private mutating func perform(_ actions: [MembershipMachine.Action], of side: Int) {
    for action in actions { perform(action, of: side) }
  }

  private mutating func perform(_ action: MembershipMachine.Action, of side: Int) {
    switch action {
    case .dial: sides[side].dials.append(.membership)
    case .cancelDials: sides[side].dials.removeAll { $0 == .membership }
    case .sendAttach(let link, let epoch):
      sides[side].asked.append(link)
      send(.attach(request(of: side, epoch: epoch)), over: link, by: side)
    case .sendAttached(let link, let epoch):
      send(.attached(sides[side].membership?.id ?? .none, epoch: epoch), over: link, by: side)
    case .carry(let link):
      if let code = sides[side].farewell { send(.leave(code), over: link, by: side) }
    case .sendLeave(let code):
      sides[side].farewell = code
      if let link = sides[side].membership?.link { send(.leave(code), over: link, by: side) }
    case .reportDelivered: break
    case .closeLink(let link, let code): close(link, code, by: side)
    case .wake(let instant): sides[side].membershipWake = instant
    case .cancelWake: sides[side].membershipWake = nil
    case .reportJoined: joined(side)
    case .reportInterrupted:
      if sides[side].isInterrupted { complain("interrupted twice") }
      sides[side].isInterrupted = true
      sides[side].interruptions += 1
    case .reportResumed:
      if !sides[side].isInterrupted { complain("resumed without an interruption") }
      sides[side].isInterrupted = false
    case .reportLeft(let departure, let code): left(side, departure, code)
    }
  }

  /// Tells the table that whatever was to make the other side a member is fulfilled.
  private mutating func joined(_ side: Int) {
    (sides[side].isInterrupted, sides[side].hasJoined) = (false, true)
    sides[side].attaching = []
    for id in sides[side].invited { tellTable(side, .peerJoined(id)) }
    for id in sides[side].acceptances.keys.sorted(by: { $0.invitation < $1.invitation }) {
      waitNoLonger(for: id, of: side)
      fulfil(id, of: side)
      tellTable(side, .inviterJoined(id))
    }
  }

  private mutating func left(
    _ side: Int, _ departure: DepartureReason, _ code: CloseCode
  ) {
    if let machine = sides[side].membership {
      sides[side].ended.remember(machine.id, of: pair(side), code)
    }
    if sides[side].hasJoined { sides[side].departures.append(departure) }
    (sides[side].hasJoined, sides[side].isInterrupted, sides[side].farewell) = (
      false, false, nil
    )
    let attaching = sides[side].attaching
    sides[side].attaching = []
    for id in attaching { tellTable(side, .joiningFailed(id, sides[side].session)) }
  }

  private func request(of side: Int, epoch: UInt64) -> Attach {
    Attach(
      source: sides[side].session, destination: sides[1 - side].session,
      membership: sides[side].membership?.id ?? .none, isProposal: !sides[side].hasJoined,
      ended: sides[side].ended[pair(side)]?.membership ?? .none, epoch: epoch, received: 0,
      window: 0, terms: SessionTerms(seniority: 0, capacity: 8, messageBytesMax: 0))
  }
}

extension InvitationTable.ReceivedInvite {
  /// The same INVITE, as a side sees it that may be a member already.
  fileprivate func knowing(membership: SessionID?) -> InvitationTable.ReceivedInvite {
    let invite = Invite(
      invitation: id.invitation, session: session,
      timeoutMilliseconds: UInt64(timeout.nanoseconds / 1_000_000), isOfSeveral: isOfSeveral,
      serviceType: serviceType, context: [])
    return InvitationTable.ReceivedInvite(
      invite, from: id.inviter, at: source, isAdvertised: isAdvertised, membership: membership)
  }
}
