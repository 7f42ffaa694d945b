/// Descriptions of peers, in the order of their identifiers.
extension Array where Element: Identifiable, Element.ID == PeerID {
  /// The description of a peer; setting it keeps the order, and setting `nil` removes it.
  subscript(id: PeerID) -> Element? {
    get {
      let place = place(of: id)
      return place < count && self[place].id == id ? self[place] : nil
    }
    set {
      let place = place(of: id)
      let isThere = place < count && self[place].id == id
      replaceSubrange(place..<(isThere ? place + 1 : place), with: newValue.map { [$0] } ?? [])
    }
  }

  /// The index that a peer has, or would have.
  private func place(of id: PeerID) -> Int {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if self[middle].id < id { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }
}
