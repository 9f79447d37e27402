import ReunionCore
import ReunionFlow
import ReunionStore

/// What the server does for a person's devices among the members of a space.
extension Access {
  /// The device that a token with that hash belongs to; nil as for `device(token:)`.
  func device(hash: [UInt8]) -> Device? {
    if case .member(let device) = standing(hash: hash) { return device }
    return nil
  }

  /// How a token with that hash stands.
  func standing(hash: [UInt8]) -> MemberTable.Standing {
    let now = settledTime.earliest
    return table.withLock { $0.standing(of: hash, at: now) }
  }

  /// Makes a person's device a member with that role, or with a higher one that it has.
  ///
  /// It gets another number where somebody else has joined or written under its own. False, and nothing,
  /// where the host has put it or another device of the person's with its number out: that of a space is
  /// its host's word, and not another device's. `own` are the token hashes of the person's devices.
  func grant(_ role: Role, to device: PersonDevice, among own: Set<[UInt8]>, isOwn: Bool) throws
    -> Bool
  {
    let granted = try store.write(in: space) { transaction -> RecordID? in
      let same = Query<Member>(in: space).filter(\.device == device.device)
      let members = try transaction.fetch(same)
      let mine = try transaction.fetch(
        Query<Member>(in: space).filter(\.tokenHash == device.tokenHash))
      if let member = mine.first(where: { !$0.isRevoked }) {
        let higher = max(role, Role(rawValue: member.role) ?? .view)
        if higher.rawValue != member.role {
          try transaction.set(\Member.role, of: member.id, to: higher.rawValue)
        }
        return member.id
      }
      let theirs = members.filter { own.contains($0.tokenHash) } + mine
      guard theirs.allSatisfy({ !$0.isRevoked || $0.hasLeft || $0.isOwnAct }) else { return nil }
      // In an own space nobody else has written.
      let isFree =
        members.isEmpty && !isOwn
        ? try isNobodys(device.number, among: [])
        : members.allSatisfy { own.contains($0.tokenHash) } && device.number != 0
          && device.number != store.site.device
      var member = Member(id: transaction.newID())
      member.tokenHash = device.tokenHash
      member.role = role.rawValue
      member.device =
        isFree ? device.device : Int64(bitPattern: UInt64.random(in: 1...UInt64.max))
      member.isReplica = device.isReplica
      member.usedAt = settledTime.latest
      try transaction.create(member)
      return member.id
    }
    if let granted { try reload([granted]) }
    return granted != nil
  }

  /// Ends a membership that another device of the same person has taken away: its sessions end.
  func end(hash: [UInt8]) throws {
    let standing = try store.fetch(standing(hash))
    guard !standing.isEmpty else { return }
    try store.write(in: space) { transaction in
      for member in standing {
        try transaction.set(\Member.isRevoked, of: member.id, to: true)
        try transaction.set(\Member.isOwnAct, of: member.id, to: true)
      }
    }
    try reload(standing.map(\.id))
  }
}
