/// Which sources are believed to be the host that a record is about.
extension RecordCache {
  /// Whether what a record is about was said within the last second, so that its host may not say
  /// it again at once.
  func hasSpoken(for cached: CachedRecord, at now: Instant) -> Bool {
    if now - cached.received <= CachedRecord.farewell { return true }
    return first(cached.record.key, .srv, on: cached.interface) {
      now - $0.received <= CachedRecord.farewell
    } != nil
  }

  /// Whether a source said a record, or is where its host is by any claim that was made twice.
  func speaks(_ source: IPAddress, for cached: CachedRecord) -> Bool {
    if isOfHost(cached, source) { return true }
    return hosts(of: cached.record.key, on: cached.interface).contains { host in
      allAddresses(of: host, on: cached.interface).contains {
        (!$0.isRival || $0.isCandidate) && Self.address($0) == source
      }
    }
  }

  /// Whether strangers announce another place of an instance, or of its host.
  ///
  /// A neighbour that lies from other addresses may lie from the host's as well.
  func isContested(_ cached: CachedRecord) -> Bool {
    let type = cached.record.type
    let isOfInstance = type != .a && type != .aaaa
    return first(
      cached.record.key, isOfInstance ? .srv : type, on: cached.interface, where: \.isRival) != nil
  }

  /// Whether a source may say another record in place of one: never one that makes it another peer.
  func mayReplace(
    _ cached: CachedRecord, by record: DNSRecord, saidBy source: IPAddress
  ) -> Bool {
    !cached.isRescued && !isContested(cached) && isOfHost(cached, source)
      && cached.record.claimedIdentifier == record.claimedIdentifier
  }

  /// Whether a source said a record, or is known to be its host.
  func isOfHost(_ cached: CachedRecord, _ source: IPAddress) -> Bool {
    isFrom(source, cached) || isHost(source, of: cached)
  }

  /// Whether something else was said of a name since a record was, although only one can be so.
  func isBehind(_ cached: CachedRecord, _ others: [CachedRecord]) -> Bool {
    guard cached.isOf(.service) || cached.isOf(.text) else { return false }
    return others.contains { !$0.isRival && !$0.isOlder(than: cached) }
  }

  /// Whether another service was said within the last second, and this one was there before all
  /// that is said instead: a host that hears its name taken says so without being asked (RFC 6762
  /// §9).
  func hasReturned(_ cached: CachedRecord, _ others: [CachedRecord]) -> Bool {
    cached.isOf(.service) && isBehind(cached, others)
      && others.allSatisfy { $0.isRival || $0.sequence > cached.sequence }
  }

  /// Whether an address is one of the host that a record is about.
  func isHost(_ source: IPAddress, of cached: CachedRecord) -> Bool {
    let host: DNSName? =
      switch cached.record.data {
      case .address: cached.record.name
      case .service(_, _, _, let host): host  // What is said instead names another one.
      case .pointer, .text, .types, .other: self.host(of: cached.record.key, on: cached.interface)
      }
    guard let host else { return false }
    // Those that are leaving, too: what is said instead of them may be a lie.
    return allAddresses(of: host, on: cached.interface).contains {
      !$0.isRival && Self.address($0) == source
    }
  }
}

extension DNSRecord {
  /// The identifier that an instance's strings claim; `nil` of everything else.
  fileprivate var claimedIdentifier: [UInt8]? {
    if case .text(let bytes) = data { TextRecord(bytes: bytes)[Announcement.Key.id] } else { nil }
  }
}
