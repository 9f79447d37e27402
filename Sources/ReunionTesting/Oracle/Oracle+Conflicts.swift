import ReunionCore
import ReunionStore

/// What must have become of registers that lost.
extension Oracle {
  /// A register that lost against one whose author had not seen it is kept as a conflict at some
  /// replica, where no more than four others of its cell are (2). A browser keeps none, so that of
  /// what is written in one nothing is said.
  ///
  /// All replicas are equal when this is asked.
  func checkConflicts(
    _ replicas: [WorldReplica], _ isUnseen: (Dot) -> Bool = { _ in false }
  ) throws {
    for (place, numbers) in places.sorted(by: { $0.key < $1.key }) {
      let registers = numbers.map { writes[$0] }.filter(\.change.cell.merge.isRegister)
      guard Set(registers.map(\.author)).count > 1 else { continue }
      try checkConflicts(registers, place, replicas, isUnseen)
    }
  }

  private func checkConflicts(
    _ registers: [KnownWrite], _ place: RecordPlace, _ replicas: [WorldReplica],
    _ isUnseen: (Dot) -> Bool
  ) throws {
    var kept: [[Cell]] = []
    var state = RecordState()
    for replica in replicas {
      guard let store = replica.running else { continue }
      let space = replica.world.space
      kept.append(try store.conflicts(entity: place.entity, place.id, in: space))
      state = try store.record(entity: place.entity, place.id, in: space) ?? RecordState()
    }
    guard state.isAlive else { return }
    for (field, group) in Dictionary(grouping: registers, by: \.change.cell.field) {
      guard !group.contains(where: \.isOfBrowser) else { continue }
      // What a refused write replaced its author had seen, too, and wrote on from.
      let replaced = Set(group.map(\.change.cell.replaced))
      let group = group.filter { $0.fate != .refused }
      let last = state.register(field)?.stamp
      for write in group where write.fate == .sure {
        let cell = write.change.cell
        let name = WriteName(write.change)
        guard cell.stamp != last, !replaced.contains(cell.stamp), !lostConflicts.contains(name),
          !(gone.contains(place) && isLetGo(write))
        else { continue }
        let isRepeated = group.map(\.change.cell).contains { other in
          other.value == cell.value
            && (cell.stamp, cell.dot.site) < (other.stamp, other.dot.site)
        }
        let isKept = kept.contains { cells in
          let ofField = cells.filter { $0.field == field }
          return ofField.count >= 4 || ofField.contains { WriteName($0, at: place) == name }
        }
        // Of two writes of one number nobody can tell that one was never there.
        guard isKept || isRepeated || isUnseen(cell.dot) else {
          throw Violation(2, "\(self.name(cell, place)) lost unseen, and no replica kept it")
        }
      }
    }
  }
}
