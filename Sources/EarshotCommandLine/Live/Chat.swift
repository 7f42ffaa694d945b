import Earshot
import EarshotScenario
import Foundation

/// Does what a ``ChatMachine`` says, as a peer on a host.
actor Chat {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  private nonisolated let peer: Peer
  private nonisolated let console: Console
  private nonisolated let options: ChatOptions
  /// Whether the user wants no more.
  private(set) var isOver = false
  private var machine: ChatMachine
  private var opening: [ChatMachine.Action]
  private var session: Session?
  private var advertiser: Advertiser?
  private var info: [String: String]?
  private var invitations: [ChatMachine.Question.Number: OpenInvitation] = [:]
  private var offers: [ChatMachine.Question.Number: ResourceOffer] = [:]
  private var lastNumber = 0
  private var transfers: [ChatTransfer.Number: ResourceTransfer] = [:]
  private var verifications: [PeerID: Verification] = [:]

  /// An invitation that was not answered yet, and the task that waits for its end.
  private struct OpenInvitation {
    let invitation: Invitation
    let clock: Task<Void, Never>
  }

  init(of peer: Peer, _ options: ChatOptions, on console: Console, _ typed: TypedLines) {
    unownedExecutor = peer.unownedExecutor
    (self.peer, self.options, self.console) = (peer, options, console)
    opening = []
    machine = ChatMachine(
      as: peer.name, paint: Paint(isOn: console.isColoured), typed, into: &opening)
  }

  /// Begins: shows its own name, becomes visible, and looks who is near.
  func begin() async throws(EarshotError) {
    let browser = try await peer.browse(options.live.service)
    for action in opening { await perform(action) }
    let events = peer.events
    addTask { chat in
      for await event in events { await chat.handle(.peerReported(event)) }
    }
    addTask { chat in
      let hint = SearchHint()
      let clock = hint.start(on: chat.peer.host) { await chat.handle(.searchUnanswered($0)) }
      defer { clock.cancel() }
      for await event in browser.events {
        hint.note(event)
        await chat.handle(.browserReported(event))
      }
    }
    if let ticket = options.ticket { await handle(.ticketGiven(ticket.peer)) }
  }

  /// Takes one event in, and does what follows from it.
  func handle(_ event: ChatMachine.Event) async {
    var actions: [ChatMachine.Action] = []
    machine.handle(event, into: &actions)
    for action in actions { await perform(action) }
  }

  /// Tells the user that it is over, and ends what waits, so that nothing is left when the peer has stopped.
  func end() async {
    await handle(.endRequested)
    for open in invitations.values { open.clock.cancel() }
    (invitations, offers) = ([:], [:])
    for transfer in transfers.values { transfer.cancel() }
  }

  private func perform(_ action: ChatMachine.Action) async {
    switch action {
    case .print(let line): console.line(line)
    case .explain(let id, let word): await explain(id, word)
    case .invite(let id): await invite(id)
    case .inviteByTicket(let id): await invite(id, by: options.ticket)
    case .showTicket: await showTicket()
    case .accept(let number): await accept(number)
    case .decline(let number):
      offers.removeValue(forKey: number)?.decline()
      await take(number)?.decline()
    case .send(let text): await send(text)
    case .sendFile(let path, let members): sendFile(at: path, to: members)
    case .cancelTransfer(let number): transfers[number]?.cancel()
    case .trust(let id, let name):
      await attempt { () throws(EarshotError) in try await self.peer.trust(id, as: name) }
    case .verify(let id): verify(id)
    case .confirm(let id):
      let verification = verifications[id]
      addTask { _ in await verification?.confirm() }
    case .reject(let id): await verifications[id]?.reject()
    case .becomeVisible: await advertise()
    case .becomeInvisible: await hide()
    case .setInfo(let info): await tell(info)
    case .leave: await leave()
    case .quit: isOver = true
    }
  }

  // MARK: Explaining

  private func explain(_ id: PeerID?, _ word: String) async {
    var explanations: [PeerExplanation] = []
    if let id {
      explanations = [await peer.explanation(of: id)]
    } else {
      explanations = await peer.explanations.filter { $0.isAbout(word) }
    }
    let now = peer.host.now
    for explanation in explanations.prefix(Self.explanationsMax) {
      for line in explanation.lines(at: now) { console.line(line) }
    }
    guard explanations.isEmpty else { return }
    let absence = await peer.absence(of: word)
    console.line(
      "\(absence.description.escapedForTerminals) \"earshot doctor\" looks for the cause on this host."
    )
  }

  private static let explanationsMax = 5

  // MARK: Being seen

  private func advertise() async {
    await attempt { () throws(EarshotError) in
      let advertiser = try await self.peer.advertise(
        self.options.live.service, info: self.info)
      self.advertiser = advertiser
      self.addTask { chat in
        for await invitation in advertiser.invitations { await chat.receive(invitation) }
      }
    }
  }

  private func tell(_ info: [String: String]) async {
    self.info = info.isEmpty ? nil : info
    await attempt { () throws(EarshotError) in try await self.advertiser?.update(info: self.info) }
  }

  private func hide() async {
    let hidden = advertiser
    advertiser = nil
    await hidden?.stop()
  }

  // MARK: Being asked

  private func receive(_ invitation: Invitation) async {
    lastNumber += 1
    let (number, host) = (lastNumber, peer.host)
    let clock = Task(executorPreference: host.executor.task) { [weak self] in
      guard (try? await host.sleep(until: invitation.deadline)) != nil else { return }
      await self?.expire(number)
    }
    invitations[number] = OpenInvitation(invitation: invitation, clock: clock)
    await handle(
      .invitationReceived(
        ChatMachine.Question(number, from: invitation.sender, named: invitation.senderName)))
  }

  private func expire(_ number: ChatMachine.Question.Number) async {
    (invitations[number], offers[number]) = (nil, nil)
    await handle(.invitationEnded(number))
  }

  private func take(_ number: ChatMachine.Question.Number) -> Invitation? {
    guard let open = invitations.removeValue(forKey: number) else { return nil }
    open.clock.cancel()
    return open.invitation
  }

  private func accept(_ number: ChatMachine.Question.Number) async {
    if let offer = offers.removeValue(forKey: number) { return accept(offer) }
    guard let invitation = take(number), let session = await currentSession() else { return }
    addTask { chat in
      await chat.attempt { () throws(EarshotError) in
        try await invitation.accept(into: session)
      }
    }
  }

  // MARK: Asking

  private func invite(_ id: PeerID, by ticket: PeerTicket? = nil) async {
    guard let session = await currentSession() else { return }
    addTask { chat in
      await chat.attempt { () throws(EarshotError) in
        let outcome =
          if let ticket {
            try await chat.peer.invite(ticket, to: session)
          } else {
            try await chat.peer.invite(id, to: session)
          }
        await chat.handle(.invitingEnded(id, outcome))
      }
    }
  }

  // MARK: Comparing codes

  private func verify(_ id: PeerID) {
    guard let session else { return }
    addTask { chat in
      await chat.attempt { () throws(EarshotError) in
        await chat.follow(try await session.verify(id))
      }
    }
  }

  /// Shows a code, and tells how the comparison ends.
  private func follow(_ verification: Verification) async {
    guard verifications[verification.peer] !== verification else { return }
    verifications[verification.peer] = verification
    await handle(.codeShown(verification.peer, verification.code))
    guard let ending = await verification.waitForEnd() else { return }
    if verifications[verification.peer] === verification { verifications[verification.peer] = nil }
    await handle(.verificationEnded(verification.peer, ending))
  }

  private func showTicket() async {
    await attempt { () throws(EarshotError) in
      let ticket = try await self.peer.ticket(for: self.options.live.service)
      self.console.line("\(ticket)")
      self.console.warn(of: ticket)
      self.console.show(ticket)
    }
  }

  // MARK: Talking

  /// The session of this chat; a new one if there is none.
  private func currentSession() async -> Session? {
    if let session { return session }
    await attempt { () throws(EarshotError) in
      let session = try await self.peer.makeSession(self.options.session)
      self.session = session
      self.addTask { chat in
        for await activity in session.activity { await chat.listen(activity, in: session) }
      }
      let offers = session.resources
      self.addTask { chat in
        for await offer in offers { await chat.receive(offer, in: session) }
      }
      let asked = session.verifications
      self.addTask { chat in
        for await verification in asked { chat.addTask { await $0.follow(verification) } }
      }
    }
    return session
  }

  private func listen(_ activity: SessionActivity, in session: Session) async {
    guard session === self.session else { return }  // It was left.
    await handle(.sessionReported(activity))
  }

  private func send(_ text: String) async {
    await attempt { () throws(EarshotError) in
      try await self.session?.send(Array(text.utf8))
    }
  }

  private func leave() async {
    let left = session
    session = nil
    await left?.stop(within: .seconds(2))
  }

  // MARK: Files

  private func receive(_ offer: ResourceOffer, in session: Session) async {
    guard session === self.session else { return }  // It was left.
    lastNumber += 1
    let number = lastNumber
    offers[number] = offer
    addTask { chat in
      guard await offer.waitForEnd() == .withdrawn else { return }
      await chat.expire(number)
    }
    await handle(
      .fileOffered(
        ChatMachine.Question(
          number, from: offer.sender, named: machine.label(of: offer.sender), offering: offer.words)
      ))
  }

  private func accept(_ offer: ResourceOffer) {
    let folder = URL(filePath: options.folder, directoryHint: .isDirectory)
    addTask { chat in
      do throws(EarshotError) {
        let transfer = try await offer.accept(into: folder)
        await chat.follow(
          transfer, of: offer.fileName.escapedForTerminals, with: offer.sender, isSending: false)
      } catch {
        offer.decline("the file cannot be written there")
        await chat.handle(.callFailed(error.description))
      }
    }
  }

  private func sendFile(at path: String, to members: [PeerID]) {
    guard let session else { return }
    let url = URL(filePath: path.withHomeFolder, directoryHint: .notDirectory)
    for member in members {
      addTask { chat in
        await chat.attempt { () throws(EarshotError) in
          let transfer = try await session.sendResource(at: url, to: member)
          await chat.follow(
            transfer, of: url.lastPathComponent.escapedForTerminals, with: member, isSending: true)
        }
      }
    }
  }

  /// Reports a transfer until it has ended.
  private func follow(
    _ transfer: ResourceTransfer, of file: String, with peer: PeerID, isSending: Bool
  ) async {
    let number = (1...transfers.count + 1).first { transfers[$0] == nil } ?? 0
    transfers[number] = transfer
    let (chat, end) = (
      ChatTransfer(number, of: file, with: peer, isSending: isSending),
      TransferEnd(machine.label(of: peer), isReceiver: isSending)
    )
    await handle(.transferBegan(chat, transfer.currentProgress))
    for await progress in transfer.progress { await handle(.transferMoved(number, progress)) }
    let ending: ChatTransfer.Ending
    do throws(EarshotError) {
      let path = try await transfer.completed().file?.path(percentEncoded: false)
      ending = .done(path: path?.escapedForTerminals)
    } catch {
      ending = .failed(error.sentence(of: file, with: end, transfer.currentProgress))
    }
    transfers[number] = nil
    await handle(.transferEnded(number, ending))
  }

  // MARK: Around it

  /// Tells the user what cannot be done.
  private func attempt(_ act: () async throws(EarshotError) -> Void) async {
    do throws(EarshotError) { try await act() } catch {
      await handle(.callFailed(error.description))
    }
  }

  /// Begins something that goes on beside the rest; it ends with the stream that it reads.
  private nonisolated func addTask(_ act: @escaping @Sendable (Chat) async -> Void) {
    Task(executorPreference: peer.host.executor.task) { await act(self) }
  }
}

extension String {
  /// The path, with the user's folder in the place of a tilde at its beginning.
  fileprivate var withHomeFolder: String {
    self == "~" || hasPrefix("~/") ? NSHomeDirectory() + dropFirst() : self
  }
}
