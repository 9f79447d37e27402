public import ReunionCore

/// What a peer may change here.
public enum Authority: Hashable, Sendable {
  /// Everything, other people's changes included.
  case all
  /// New records, and changes to those that its device created; of its own device only.
  case own(device: UInt64)
  /// Nothing.
  case none
}

/// What an apply did.
public struct Applied: Hashable, Sendable {
  /// The records of which changes were refused, each with the cells that stand here.
  public var refusals: [Refusal] = []
  /// Whether any record is now another.
  public var changed = false
  /// Blobs that are named now, were not before, and are not held.
  public var wanted: [BlobReference] = []
}

/// Decides which changes of a push an authority lets in.
///
/// A transaction is refused whole: one refused cell refuses all with its site and stamp, which may
/// take the creation from others, so that it goes on until no more fall.
struct Admission {
  fileprivate struct Transaction: Hashable {
    let site: Site
    let stamp: Stamp
  }

  let authority: Authority

  /// Cells that a record may have by a guest's changes.
  static let cellsMax = 1024
  /// Rounds after which a push is not looked at any longer.
  static let roundsMax = 64
  /// Sites of one device that one push may bring.
  static let sitesMax = 16

  /// The changes that are let in and those that are not, in their order; `held` tells what is held
  /// of a record, nil where nothing is.
  func divide(
    _ changes: [Change], held: (RecordKey) throws(StoreError) -> RecordState?
  ) throws(StoreError) -> (admitted: [Change], refused: [Change]) {
    guard case .own(let device) = authority else {
      return authority == .all ? (changes, []) : ([], changes)
    }
    var states: [RecordKey: RecordState?] = [:]
    for change in changes {
      let key = RecordKey(change)
      if states[key] == nil { states[key] = .some(try held(key)) }
    }
    var refused: Set<Transaction> = []
    refuseExcess(changes, states, &refused)
    // Honest pushes settle in two rounds; one that does not in many is refused whole.
    for round in 1... {
      guard round <= Self.roundsMax else { return ([], changes) }
      let before = refused.count
      let isOpen = { (change: Change) in !refused.contains(Transaction(change)) }
      var created: Set<RecordKey> = []
      for change in changes where change.cell.merge == .creation && isOpen(change) {
        created.insert(RecordKey(change))
      }
      for change in changes where isOpen(change) {
        let key = RecordKey(change)
        if change.cell.dot.site.device == device {
          guard let state = states[key] ?? nil else {
            if !created.contains(key) { refused.insert(Transaction(change)) }
            continue
          }
          if state.creation?.dot.site.device == device { continue }
        }
        if let state = states[key] ?? nil, state.cells.contains(change.cell) { continue }
        refused.insert(Transaction(change))
      }
      if refused.count == before { break }
    }
    let isRefused = { (change: Change) in refused.contains(Transaction(change)) }
    return (changes.filter { !isRefused($0) }, changes.filter(isRefused))
  }

  /// Refuses what would make records that are costly to merge, or stamps that nobody can follow.
  private func refuseExcess(
    _ changes: [Change], _ states: [RecordKey: RecordState?], _ refused: inout Set<Transaction>
  ) {
    var counts: [RecordKey: Int] = [:]
    for change in changes {
      let key = RecordKey(change)
      let count = counts[key] ?? (states[key] ?? nil)?.cells.count ?? 0
      counts[key] = count + 1
      // Who erases a blob takes it from whoever's record names it.
      if count >= Self.cellsMax || change.cell.stamp >= Stamp.guestLimit
        || change.entity == Erasure.entity
      {
        refused.insert(Transaction(change))
      }
    }
  }

  /// What of a push's vector may be taken over: sites of the peer's own device where only these are
  /// let in. Refused changes count as held, so that their site is not stuck.
  ///
  /// A guest's vector tells of the site that speaks and of those whose changes it brings.
  func vector(
    _ vector: VersionVector, from peer: Site, with changes: [Change]
  ) -> VersionVector {
    switch authority {
    case .all: return vector
    case .none: return VersionVector()
    case .own(let device):
      var sites: Set<Site> = [peer]
      for change in changes where sites.count < Self.sitesMax {
        sites.insert(change.cell.dot.site)
      }
      var own = VersionVector()
      for dot in vector.entries
      where dot.site.device == device && sites.contains(dot.site) && dot.seq < 1 << 62 {
        own.raise(dot.site, to: dot.seq)
      }
      return own
    }
  }
}

extension Admission.Transaction {
  fileprivate init(_ change: Change) {
    self.init(site: change.cell.dot.site, stamp: change.cell.stamp)
  }
}

extension RecordKey {
  init(_ change: Change) { self.init(entity: change.entity, id: change.record) }
}
