extension JSON5Node {
  /// The schema with a variable or a repetition allowed in the place of each value.
  var allowingVariables: JSON5Node {
    let root = JSON5Node(
      .object((members ?? []).map { $0.key == "$defs" ? $0.eachMember { $0.open } : $0 }))
    return root.open
  }

  /// This schema, and those within it.
  private var open: JSON5Node {
    guard let members else { return self }
    return JSON5Node(
      .object(
        members.map { member in
          switch member.key {
          case "properties": member.eachMember { $0.open.orVariable }
          case "items": member.with(member.value.open.orVariable)
          case "additionalProperties" where member.value.members != nil:
            member.with(member.value.open.orVariable)
          case "anyOf": member.with(JSON5Node(.array(member.value.elements.map(\.open))))
          default: member
          }
        }))
  }

  private var orVariable: JSON5Node {
    let others = ["variable", "repetition"].map { name in
      JSON5Node(.object([])).setting("$ref", .text("#/$defs/\(name)"))
    }
    return JSON5Node(.object([])).setting("anyOf", JSON5Node(.array([self] + others)))
  }
}

extension JSON5Member {
  fileprivate func with(_ value: JSON5Node) -> JSON5Member {
    JSON5Member(key: key, offset: 0, value: value)
  }

  /// The member with each member of its value changed.
  fileprivate func eachMember(_ change: (JSON5Node) -> JSON5Node) -> JSON5Member {
    with(JSON5Node(.object((value.members ?? []).map { $0.with(change($0.value)) })))
  }
}
