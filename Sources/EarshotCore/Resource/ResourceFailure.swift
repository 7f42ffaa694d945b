/// Why a transfer ends without its resource, as the code of the stream's reset says.
package enum ResourceFailure: UInt32, Error, Hashable, Sendable, CaseIterable {
  /// The program of one side has cancelled it.
  case cancelled = 1
  /// The file has changed while it was read.
  case sourceChanged = 2
  /// The sender cannot read on.
  case sourceUnreadable = 3
  /// The receiver's system does not allow to write there.
  case permissionDenied = 4
  /// The folder is gone, or is another one.
  case folderGone = 5
  /// The receiver's file system can only be read.
  case readOnly = 6
  /// The receiver's system has failed to write.
  case storageFailed = 7
  /// What was written is not what was read.
  case corrupted = 8
  /// The other side has broken the rules of the transfer.
  case violation = 9
  /// The receiver has as many resources of the sender as it takes at once.
  case tooMany = 10
  /// The receiver's program has let go of the offer without an answer.
  case unanswered = 11
  /// There are more bytes than were offered.
  case tooLarge = 12
  /// The receiver's file system takes no file of that size.
  case fileTooLarge = 13
  /// All names like the one wanted are taken.
  case nameTaken = 14
}
