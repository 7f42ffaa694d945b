extension Peer {
  /// The log of the peer: what happens, as records.
  ///
  /// Off until it is read, and then as detailed as the filters of its readers: without a reader no
  /// record is made. Messages and parts of streams are counted, and not recorded, at any level.
  ///
  /// The records of a stream begin with ``LogRecord/Event/running``, when the peer runs since, and
  /// with what happens from this call on; they end after ``LogRecord/Event/stopped``. The stream
  /// does not hold the peer. Each call makes a stream of its own. Of more than 4,096 records that
  /// wait for their reader, the older ones are dropped and counted by a record of
  /// ``LogRecord/Event/recordsDropped``. Of one event, 1,000 records are made at once and 100 a
  /// second after that; the next record has the number of the others as `suppressedRecords`.
  ///
  /// ```swift
  /// let records = peer.log(LogFilter(.debug))
  /// peer.addTask("log") {
  ///   for await record in records { logger.log(record) }
  /// }
  /// ```
  ///
  /// - Parameter filter: The records that are wanted.
  /// - Returns: The records; those of one time may be in any order.
  public nonisolated func log(_ filter: LogFilter = LogFilter()) -> EventStream<LogRecord> {
    EventStream(core.log.records(filter))
  }
}
