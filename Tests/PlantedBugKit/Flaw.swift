/// A planted bug, in words.
enum Flaw: String, CaseIterable {
  // Counter
  case noDeduplication = "what is sent again is counted again"
  case deduplicationForgotten = "what was counted is forgotten at a restart"
  case acknowledgedBeforeStored = "acknowledged before it is stored"
  // Register
  case wallClock = "the last writer wins by the clock on the wall"
  case noTieBreak = "of two equal stamps each peer keeps its own"
  // List
  case tombstonesForgotten = "what was removed is forgotten at a restart"
  case sentOnce = "a change is sent once, also across a cut"
  case longerListWins = "the longer of two lists replaces the other"
  // Lock
  case noFencing = "a lock that has expired still writes"
  case noExpiry = "a lock whose holder is gone never ends"
  case tokenForgotten = "tokens begin anew at a restart"
  // Election
  case smallQuorum = "half of the peers is called a majority"
  case voteForgotten = "a vote is forgotten at a restart"
  case staleVotes = "votes of an earlier term count"
  // File
  case shortSequenceNumbers = "as many sequence numbers as the window is wide"
  case acknowledgesBeyondGap = "the highest chunk is acknowledged, not the last in a row"
  case resendsPastBase = "off by one: the oldest chunk is not sent again"
  // Tickets and permits
  case batchReused = "tickets of a batch are given out again after a restart"
  case leakOnCancel = "a permit leaks when its request is cancelled meanwhile"
  // Bank
  case refundOnTimeout = "what may have arrived is refunded"
  // Chat
  case noCausalOrder = "an answer is shown before its question"
  case lateMessageDropped = "what is overtaken is taken for a duplicate"
  // Cache
  case staleReply = "a late reply fills a cache that was invalidated"
  case trimmedLog = "who was away too long misses what was trimmed"
  // Invitations
  case bothAccept = "two that invite each other both accept"
  // Commit
  case decisionNotLogged = "a decision is told before it is logged"
  // Heartbeats
  case restartIgnored = "a peer that starts again is taken for its past"
  // Watchdog, on tasks
  case starvedWatchdog = "a watchdog counts turns, and not time"
}
