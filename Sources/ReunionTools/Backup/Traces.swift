import ReunionCore
import ReunionStore

/// What members of one space may have left in a store to reach into another, before a server saw to it that
/// they cannot: each is named, and none is damage.
struct Traces {
  private static let (member, ownSpace): (UInt32, UInt32) = (16_777_202, 16_777_208)
  private static let (tokenHash, device, isRevoked): (UInt32, UInt32, UInt32) = (1, 3, 5)

  private var own: Set<SpaceID> = []
  /// The tokens of each number, by the space of members that says so.
  private var tokens: [UInt64: [SpaceID: Set<[UInt8]>]] = [:]
  private var givenUp: [(space: SpaceID, site: Site)] = []
  private var writers: [SpaceID: Set<Site>] = [:]

  /// Looks at a record.
  mutating func look(at record: StoredRecord, in space: SpaceID) {
    for cell in record.state.cells { writers[space, default: []].insert(cell.dot.site) }
    func value(_ field: UInt32) -> Value? { record.state.register(field)?.value }
    switch record.key.entity {
    case Self.ownSpace: own.insert(SpaceID(high: record.key.id.high, low: record.key.id.low))
    case Retirement.entity: givenUp.append((space, Retirement.site(of: record.key.id)))
    case Self.member:
      guard value(Self.isRevoked)?.bool != true, let number = value(Self.device)?.int,
        let token = value(Self.tokenHash)?.bytes
      else { return }
      tokens[UInt64(bitPattern: number), default: [:]][space, default: []].insert(token)
    default: break
    }
  }

  /// A sentence for each thing that was found, with what to do. `spaces` are those of the store, `held`
  /// tells of each which sites it holds anything of, and `sites` are the store's own.
  func sentences(_ spaces: [SpaceID], held: [SpaceID: Set<Site>], sites: Sites?) -> [String] {
    ownSpacesOfMembers(spaces) + sharedNumbers() + emptySites(held, sites)
  }

  /// The space that holds the members of a space.
  static func members(of space: SpaceID) -> SpaceID? {
    let hash = SHA256.hash(Array("reunion access ".utf8) + space.bytes)
    return SpaceID(bytes: Array(hash[..<16]))
  }

  private func ownSpacesOfMembers(_ spaces: [SpaceID]) -> [String] {
    Set(spaces).union(own).sorted().compactMap { space in
      guard let members = Self.members(of: space), own.contains(members) else { return nil }
      return
        "The own space \(members) is where it stands who may enter the space \(space). The server"
        + " serves it no more; look at who is in \(space)."
    }
  }

  private func sharedNumbers() -> [String] {
    tokens.sorted { $0.key < $1.key }.compactMap { number, spaces in
      let sets = Array(spaces.values)
      let isTorn = sets.indices.contains { index in
        sets[..<index].contains { $0.isDisjoint(with: sets[index]) }
      }
      guard isTorn else { return nil }
      let name = Hexadecimal.text(Site(device: number, incarnation: 0).bytes.prefix(8))
      return
        "The device \(name) has other tokens in one space than in another: it may be two devices."
        + " Where you know only one, remove the other."
    }
  }

  private func emptySites(_ held: [SpaceID: Set<Site>], _ sites: Sites?) -> [String] {
    givenUp.compactMap { space, gone in
      if gone == sites?[space] {
        return
          "In the space \(space) somebody gave up the site under which this store writes now: start"
          + " its program, and it takes another."
      }
      let isHeld = held[space]?.contains(gone) == true || writers[space]?.contains(gone) == true
      guard !isHeld else { return nil }
      return
        "In the space \(space) the site \(gone) was given up, and nothing was written under it."
    }
  }
}
