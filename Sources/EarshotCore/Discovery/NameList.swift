/// A few names, most often one, which then takes no memory of its own.
enum NameList: Hashable, Sendable {
  case one(DNSName)
  case many([DNSName])

  /// The names of an array.
  init(_ names: [DNSName]) { self = names.count == 1 ? .one(names[0]) : .many(names) }

  /// The names as an array.
  var names: [DNSName] {
    switch self {
    case .one(let name): [name]
    case .many(let names): names
    }
  }
}
