import ReunionCore
import ReunionStore

/// What members may do.
extension Oracle {
  private enum Permission: Comparable { case not, perhaps, surely }

  /// What a member of a role may do: new records, and changes to those that its device created.
  func fate(of changes: [Change], role: WorldRole) -> KnownWrite.Fate {
    if changes.contains(where: { mixed.contains($0.cell.dot.site.device) }) { return .open }
    switch role {
    case .edit, .admin: return .sure
    case .view: return .refused
    case .add:
      switch permission(for: changes) {
      case .surely: return .sure
      case .perhaps: return .open
      case .not: return .refused
      }
    }
  }

  /// Whether a guest may make these changes together.
  private func permission(for changes: [Change]) -> Permission {
    var created: Set<RecordPlace> = []
    for change in changes where change.cell.merge == .creation {
      created.insert(RecordPlace(change))
    }
    return changes.map { permission(for: $0, created) }.min() ?? .surely
  }

  private func permission(for change: Change, _ created: Set<RecordPlace>) -> Permission {
    let place = RecordPlace(change)
    let device = change.cell.dot.site.device
    if let creator = creators[place] { return creator == device ? .surely : .not }
    if created.contains(place) { return .surely }
    let isPerhapsOwn = (places[place] ?? []).contains {
      writes[$0].fate == .open && writes[$0].device == device
        && writes[$0].change.cell.merge == .creation
    }
    return isPerhapsOwn ? .perhaps : .not
  }

  /// What a guest writes over before it was sent is never sent: a store keeps cells, not their
  /// history. It is gone where what replaces it is refused; and a transaction that was not allowed
  /// may be so without the part that was replaced.
  mutating func replace(
    by changes: [Change], _ fate: KnownWrite.Fate, _ above: (RecordPlace) throws -> [RecordState]
  ) throws {
    var isThinned = false
    for change in changes {
      for number in places[RecordPlace(change)] ?? [] {
        let earlier = writes[number]
        // What was replaced before goes with what replaced it.
        guard earlier.device == change.cell.dot.site.device,
          !earlier.isReplaced || fate != .sure && earlier.fate == .sure,
          earlier.change.cell.field == change.cell.field || change.cell.merge == .deletion,
          try !above(earlier.place).contains(where: { holds($0, earlier) })
        else { continue }
        writes[number].isReplaced = true
        writes[number].isDeleted = change.cell.merge == .deletion
        if fate != .sure, earlier.fate == .sure { writes[number].fate = .open }
        isThinned = isThinned || earlier.fate == .refused
      }
    }
    if isThinned { reconsider() }
  }

  /// Notes what of guests' refused transactions a register of somebody else beats: where it came before
  /// they were sent, they were sent without that part.
  mutating func beat(with changes: [Change], _ fate: KnownWrite.Fate) {
    var isThinned = false
    for change in changes where change.cell.merge.isRegister {
      for number in places[RecordPlace(change)] ?? [] {
        let other = writes[number].change
        guard other.cell.field == change.cell.field, other.cell.merge.isRegister,
          other.cell.dot.site.device != change.cell.dot.site.device
        else { continue }
        let isLater = other.cell.isOrdered(before: change.cell)
        let beaten = isLater ? number : fate == .refused ? self.number(of: change) : nil
        guard let beaten, writes[beaten].fate == .refused, !writes[beaten].isReplaced else {
          continue
        }
        // One that is refused itself comes to nobody, unless something is left of its own transaction.
        if isLater, fate == .refused {
          writes[beaten].isPerhapsReplaced = true
        } else {
          writes[beaten].isReplaced = true
        }
        isThinned = true
      }
    }
    if isThinned { reconsider() }
  }

  /// Looks again at the transactions of guests that were refused: what is left of one may be allowed,
  /// and so may what builds on that.
  private mutating func reconsider() {
    var isSettled = false
    while !isSettled {
      isSettled = true
      for numbers in transactions {
        let left = numbers.filter { !writes[$0].isReplaced }
        // Of a record that its device deleted the values may be sent, or not any more.
        let leftOrDeleted = numbers.filter { !writes[$0].isReplaced || writes[$0].isDeleted }
        let surelyLeft = left.filter { !writes[$0].isPerhapsReplaced }
        guard let allowed = [leftOrDeleted, left, surelyLeft].first(where: isAllowed) else {
          continue
        }
        for number in allowed { writes[number].fate = .open }
        isSettled = false
      }
    }
  }

  /// Whether refused writes are allowed now that they are no more than these.
  private func isAllowed(_ numbers: [Int]) -> Bool {
    !numbers.isEmpty && numbers.allSatisfy { writes[$0].fate == .refused }
      && permission(for: numbers.map { writes[$0].change }) > .not
  }
}

extension Cell {
  /// Whether another register's value stays where the two meet.
  fileprivate func isOrdered(before other: Cell) -> Bool {
    (stamp, dot.site, dot.seq) < (other.stamp, other.dot.site, other.dot.seq)
  }
}
