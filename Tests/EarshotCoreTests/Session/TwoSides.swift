import EarshotCore

/// Two complete sides with a lossy network between them, as one value.
///
/// Every link is first in, first out in each direction; between links, and between a link and a dial, any
/// order is possible. A break loses what is on the way, and each end learns of it in its own time. Side 0 has
/// the smaller PeerID. Each side has one session.
struct TwoSides: Hashable {
  enum Frame: Hashable {
    case invite(Invite)
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
    case leave(Int), remove(Int)
    case deadline(Int, ofTable: Bool)
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
    var removals = 0
    var isIntroduced = false  // Others speak of both, all the time.
    var mayAccept = true
    var isOfSeveral = [false, false]  // What the INVITE of each side says.
    var usersComeFirst = false  // No deadline passes while a user may do something.
    var timeout = Duration.seconds(20)
    var patience = [Duration.seconds(30), .seconds(30)]
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
    var ledger: MembershipLedger
    var inviters: [InvitationTable.InboundID: MembershipLedger.Inviter] = [:]
    var granted: [InvitationID: MembershipID] = [:]  // By ACCEPT.
    var confirmed: [InvitationTable.InboundID: MembershipID] = [:]  // By ATTACHED or ATTACH.
    var dials: [Dial] = []
    var asked: [LinkToken] = []  // Where the membership sent ATTACH.
    var offers: [InvitationTable.InboundID] = []
    var accepting: [InvitationTable.InboundID] = []
    var invited: [InvitationID] = []
    var outcomes: [InvitationOutcome] = []
    var isInterrupted = false
    var isSuspended = false
    var interruptions = 0
    var departures: [DepartureReason] = []
    var wasTold: DepartureReason?  // The last one, also of what never began.
    var isShunned = false  // The other side, until it is invited.
    var isSought = false  // Once it is awake.
    var offersMade = 0
  }

  var now = Instant.zero
  var sides: [Side]
  var links: [Link] = []
  var budget: Budget
  var linksMade: UInt64 = 0
  var breakages = 0
  var complaint: String?
  private var isReplacing = false
  private var depth = 0  // Of events that cause others.

  init(_ budget: Budget) {
    self.budget = budget
    sides = (0..<2).map { side in
      let id = Self.peer(side)
      let random = RandomStream(seed: UInt64(side))
      return Side(
        id: id, session: SessionID(rawValue: UInt64(side + 1)),
        table: InvitationTable(of: id, random: random), ledger: MembershipLedger(of: id))
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
    for side in 0..<2 { world.seek(side, world.propose(side)) }
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
      if budget.removals > 0, sides[side].hasJoined, !sides[side].isShunned {
        steps.append(.remove(side))
      }
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
      if isMember(offer, of: side) { sides[side].accepting.removeAll { $0 == offer } }
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
      if sides[side].isSought { seekAgain(side) }
    case .leave(let side):
      budget.leaves -= 1
      tellMembership(side, .leaveRequested(.disconnected, within: .seconds(60)))
    case .remove(let side):
      budget.removals -= 1
      sides[side].isShunned = true
      let limit = max(budget.patience[side], .seconds(5))
      tellMembership(side, .leaveRequested(.removed, within: limit))
    case .deadline(let side, let ofTable): pass(side, ofTable: ofTable)
    }
    links.removeAll { !$0.isOpen.contains(true) }
    for side in 0..<2 where sides[side].ledger[pair(side)] != standing(of: side) {
      complain("the ledger of side \(side) does not know what there is")
    }
  }

  private func standing(of side: Int) -> MembershipLedger.Standing? {
    guard let machine = sides[side].membership, !machine.isGone else { return nil }
    return machine.standing(hasJoined: sides[side].hasJoined)
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
      let ended = sides[side].ledger.lastEnded(of: pair(side))
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
    case .invite(let invite): invited(side, token, invite)
    case .accept(let id, let session, let membership):
      accepted(side, token, id, session, membership)
    case .decline(let id, let reason): tellTable(side, .declineReceived(token, id, reason))
    case .cancel(let id, let reason): tellTable(side, .cancelReceived(token, id, reason))
    case .attach(let request): attach(side, token, request)
    case .attached(let membership, let epoch):
      if sides[side].asked.contains(token) {
        tellMembership(side, .attachedReceived(token, membership, epoch: epoch))
      } else {
        if let id = sides[side].table.inbound(over: token) {
          if sides[side].ledger.named(by: id) != membership { complain("another membership") }
          sides[side].confirmed[id] = membership
        }
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

  private mutating func invited(_ side: Int, _ token: LinkToken, _ invite: Invite) {
    let inviter = sides[1 - side].id
    let id = InvitationTable.InboundID(inviter: inviter, invitation: invite.invitation)
    if sides[side].inviters[id] == nil {
      sides[side].inviters[id] = sides[side].ledger.inviter(inviter, invite)
    } else {
      sides[side].inviters[id]?.ended = invite.ended
    }
    let membership = sides[side].ledger.sessions(with: inviter, invite.session).first
    let received = InvitationTable.ReceivedInvite(
      invite, from: inviter, at: .v4(UInt32(1 - side)), isAdvertised: true, membership: membership)
    tellTable(side, .inviteReceived(token, received))
  }

  private mutating func accepted(
    _ side: Int, _ token: LinkToken, _ id: InvitationID, _ session: SessionID,
    _ membership: MembershipID
  ) {
    let own = accepted(by: side)
    switch sides[side].ledger.verdict(onAccept: membership, of: pair(side), beside: own) {
    case .wait: break
    case .fulfilled: tellTable(side, .peerJoined(id))
    case .refuse(let code):
      close(token, code, by: side)
      tellTable(side, .linkBroken(token))
    case .confirm:
      sides[side].granted[id] = membership
      tellTable(side, .acceptReceived(token, id, session))
    }
  }

  /// The acceptance of a side that waits to be confirmed.
  private func accepted(by side: Int) -> InvitationTable.InboundID? {
    sides[side].table.unconfirmed(
      of: sides[1 - side].id, source: sides[1 - side].session, destination: sides[side].session)
  }

  private mutating func attach(_ side: Int, _ token: LinkToken, _ request: Attach) {
    if let accepted = accepted(by: side), sides[side].ledger.confirms(request, accepted) {
      sides[side].confirmed[accepted] = request.membership
      tellTable(side, .attachReceived(token, accepted))
      guard links.contains(where: { $0.token == token && $0.isOpen[side] }) else { return }
    }
    admit(side, token, request)
  }

  private mutating func admit(_ side: Int, _ token: LinkToken, _ request: Attach) {
    let isShunned = sides[side].isShunned
    let event = MembershipMachine.Event.attachReceived(
      token, request.membership, epoch: request.epoch)
    switch sides[side].ledger.verdict(onAttach: request, of: pair(side), isShunned: isShunned) {
    case .current: tellMembership(side, event)
    case .refuse(let code): close(token, code, by: side)
    case .begin where budget.isIntroduced && !isShunned:
      seek(side, propose(side))
      tellMembership(side, event)
    case .begin: close(token, .notIntroduced, by: side)
    case .supersede:
      tellMembership(side, .endRequested(.lost, .givenUp))
      admit(side, token, request)
    }
  }

  private func pair(_ side: Int) -> SessionPair {
    let other = sides[1 - side]
    return SessionPair(local: sides[side].session, peer: other.id, remote: other.session)
  }

  private mutating func propose(_ side: Int) -> MembershipID {
    sides[side].ledger.propose(to: pair(side))
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
    depth += 1
    for action in actions { perform(action, of: side) }
    depth -= 1
    guard depth == 0 else { return }
    for id in inbound(of: side) { forgetIfEnded(id, of: side) }
  }

  private mutating func perform(_ action: InvitationTable.Action, of side: Int) {
    switch action {
    case .dial(let id): sides[side].dials.append(.invitation(id))
    case .cancelDial(let id): sides[side].dials.removeAll { $0 == .invitation(id) }
    case .sendInvite(let link, let id): send(.invite(invite(side, id)), over: link, by: side)
    case .sendAttached(let link, let id):
      send(.attached(sides[side].granted[id] ?? .none, epoch: 1), over: link, by: side)
    case .sendCancel(let link, let id, let reason):
      send(.cancel(id, reason), over: link, by: side)
    case .sendAccept(let link, let id, let session):
      guard let inviter = sides[side].inviters[id] else { return complain("it accepts nothing") }
      let naming = sides[side].ledger.name(for: id, of: inviter, by: session)
      if case .new(_, let replacement?) = naming { replace(side, replacement) }
      send(.accept(id.invitation, session, naming.membership), over: link, by: side)
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
    case .reportSuperseded(let id): concludeIfJoined(id, of: side)
    case .reportTakenBack(let id):
      conclude(id, of: side, isJoined: false)
      tellMembership(side, .leaveRequested(.removed, within: .seconds(5)))
    case .reportFailed(let id, _): conclude(id, of: side, isJoined: isMember(id, of: side))
    case .reportOutcome(_, let outcome): sides[side].outcomes.append(outcome)
    case .reportJoined(let joining): join(side, joining)
    case .reportAttaching(let joining):
      guard case .inbound(let id) = joining.origin else { break }
      expectAttaching(side, sides[side].confirmed[id] ?? .none, by: id)
      concludeIfJoined(id, of: side)
    }
  }

  private func isMember(_ id: InvitationTable.InboundID, of side: Int) -> Bool {
    guard let inviter = sides[side].inviters[id] else { return false }
    return sides[side].ledger.isMember(inviter, of: sides[side].session)
  }

  private mutating func concludeIfJoined(_ id: InvitationTable.InboundID, of side: Int) {
    guard let inviter = sides[side].inviters[id],
      sides[side].ledger.hasJoined(inviter, sides[side].session)
    else { return }
    conclude(id, of: side, isJoined: true)
  }

  /// An invitation of the other side has ended, of which the table hears so.
  private mutating func conclude(
    _ id: InvitationTable.InboundID, of side: Int, isJoined: Bool
  ) {
    guard sides[side].inviters.removeValue(forKey: id) != nil else { return }
    sides[side].ledger.close(id, isFulfilled: isJoined)
    sides[side].accepting.removeAll { $0 == id }
    sides[side].confirmed[id] = nil
    tellTable(side, isJoined ? .inviterJoined(id) : .joiningFailed(id, sides[side].session))
  }

  private mutating func forgetIfEnded(_ id: InvitationTable.InboundID, of side: Int) {
    if !sides[side].table.isOpen(id) { conclude(id, of: side, isJoined: false) }
  }

  private mutating func join(_ side: Int, _ joining: InvitationTable.Joining) {
    switch joining.origin {
    case .outbound(let id): join(side, sides[side].granted[id] ?? .none, over: joining.link)
    case .inbound(let id):
      join(side, sides[side].confirmed[id] ?? .none, over: joining.link)
      conclude(id, of: side, isJoined: true)
    }
  }

  private func invite(_ side: Int, _ id: InvitationID) -> Invite {
    let wish = wish(side, id)
    return Invite(
      invitation: id, session: wish.session,
      ended: sides[side].ledger.ended(of: wish.session, with: sides[1 - side].id),
      timeoutMilliseconds: UInt64(wish.timeout.nanoseconds / 1_000_000),
      isOfSeveral: wish.isOfSeveral, serviceType: wish.serviceType, context: [])
  }

  private mutating func join(_ side: Int, _ membership: MembershipID, over link: LinkToken) {
    switch sides[side].ledger.beginning(membership, of: pair(side)) {
    case .goesOn: close(link, .duplicate, by: side)
    case .begins(let replacement):
      if let replacement { replace(side, replacement) }
      var actions: [MembershipMachine.Action] = []
      sides[side].membership = MembershipMachine(
        membership, over: link, local: sides[side].id, remote: sides[1 - side].id,
        configuration: configuration(of: side), random: RandomStream(seed: linksMade),
        into: &actions)
      perform(actions, of: side)
    }
  }

  private mutating func expectAttaching(
    _ side: Int, _ membership: MembershipID, by accepted: InvitationTable.InboundID
  ) {
    let pair = pair(side)
    switch sides[side].ledger.beginning(attaching: membership, of: pair, by: accepted) {
    case .goesOn: break
    case .begins(let replacement):
      if let replacement { replace(side, replacement) }
      seek(side, membership)
    }
  }

  private mutating func seek(_ side: Int, _ membership: MembershipID) {
    var actions: [MembershipMachine.Action] = []
    sides[side].membership = MembershipMachine(
      proposing: membership, to: sides[1 - side].id, from: sides[side].id,
      configuration: configuration(of: side), random: RandomStream(seed: linksMade), at: now,
      into: &actions)
    perform(actions, of: side)
  }

  private mutating func replace(_ side: Int, _ replacement: MembershipLedger.Replacement) {
    isReplacing = true
    tellMembership(side, .endRequested(replacement.departure, replacement.code))
    isReplacing = false
  }

  private func configuration(of side: Int) -> MembershipMachine.Configuration {
    var configuration = MembershipMachine.Configuration()
    configuration.patience = budget.patience[side]
    return configuration
  }

  private mutating func tellMembership(_ side: Int, _ event: MembershipMachine.Event) {
    var actions: [MembershipMachine.Action] = []
    sides[side].membership?.handle(event, at: now, into: &actions)
    perform(actions, of: side)
  }

  private mutating func perform(_ actions: [MembershipMachine.Action], of side: Int) {
    for action in actions {
      note(side)
      perform(action, of: side)
    }
    note(side)
  }

  /// Tells the ledger of the membership as it is now.
  private mutating func note(_ side: Int) {
    guard let standing = standing(of: side) else { return }
    sides[side].ledger.note(standing, of: pair(side))
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
    note(side)
    for id in sides[side].invited { tellTable(side, .peerJoined(id)) }
    for id in inbound(of: side) { conclude(id, of: side, isJoined: true) }
  }

  private mutating func left(
    _ side: Int, _ departure: DepartureReason, _ code: CloseCode
  ) {
    if let machine = sides[side].membership {
      sides[side].ledger.end(machine.id, of: pair(side), code)
    }
    let hasJoined = sides[side].hasJoined
    sides[side].wasTold = departure
    if departure.isFinal, code != .takenBack { sides[side].isShunned = true }
    if hasJoined { sides[side].departures.append(departure) }
    (sides[side].hasJoined, sides[side].isInterrupted, sides[side].farewell) = (
      false, false, nil
    )
    if isReplacing { return }
    for id in inbound(of: side) where !hasJoined && sides[side].table.isAttaching(id) {
      conclude(id, of: side, isJoined: false)
    }
    if budget.isIntroduced, !sides[side].isShunned { seekAgain(side) }
  }

  /// Another member still speaks of the other side.
  private mutating func seekAgain(_ side: Int) {
    sides[side].isSought = sides[side].isSuspended
    if !sides[side].isSuspended { seek(side, propose(side)) }
  }

  /// The invitations of the other side that have been accepted.
  private func inbound(of side: Int) -> [InvitationTable.InboundID] {
    sides[side].inviters.keys.filter {
      !sides[side].offers.contains($0)
    }.sorted { $0.invitation < $1.invitation }
  }

  private func request(of side: Int, epoch: UInt64) -> Attach {
    Attach(
      source: sides[side].session, destination: sides[1 - side].session,
      membership: sides[side].membership?.id ?? .none, isProposal: !sides[side].hasJoined,
      ended: sides[side].ledger.lastEnded(of: pair(side)), epoch: epoch, received: 0,
      grant: ChannelGrant(messageLimit: 0, streams: 16),
      terms: SessionTerms(seniority: 0, capacity: 8, messageBytesMax: 0))
  }
}
