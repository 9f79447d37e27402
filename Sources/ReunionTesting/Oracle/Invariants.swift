import ReunionCore
import ReunionStore

/// The promises, each checked against what the stores themselves say.
extension Oracle {
  /// What holds of a replica at every moment: vectors are sound (3), transactions are whole (7),
  /// and nothing is held that nobody wrote or was not allowed to (8, 11).
  ///
  /// `lettingGo`: devices that may not bring what others wrote, so that they let go what a peer has
  /// lost, and with that what others had written over of their own. The rest of it they issue anew,
  /// and everybody gets a transaction of theirs without that part.
  func check(
    _ replica: WorldReplica, _ holdings: Holdings, lettingGo: Set<UInt64>
  ) throws(Violation) {
    try check(
      replica.name, device: replica.running?.site.device, holdings, lettingGo: lettingGo)
  }

  /// The same of a replica or a browser by its name and its device.
  func check(
    _ replica: String, device: UInt64?, _ holdings: Holdings, lettingGo: Set<UInt64>
  ) throws(Violation) {
    try checkKnown(replica, device, holdings)
    try checkVector(
      replica, holdings, exceptOf: device.flatMap { lettingGo.contains($0) ? $0 : nil })
    try checkTransactions(replica, holdings, lettingGo: lettingGo)
  }

  private func checkKnown(
    _ replica: String, _ device: UInt64?, _ holdings: Holdings
  ) throws(Violation) {
    for place in holdings.states.keys.sorted() {
      for cell in holdings.state(place).cells {
        let change = Change(entity: place.entity, record: place.id, cell: cell)
        guard let number = number(of: change) else {
          if isOwnRetirement(change) || isMark(cell) { continue }
          throw Violation(8, "\(replica) holds \(name(cell, place)), which nobody wrote")
        }
        let write = writes[number]
        guard write.fate != .refused || cell.dot.site.device == device else {
          throw Violation(11, "\(replica) took \(name(cell, place)), which was not allowed")
        }
      }
    }
  }

  private func checkVector(
    _ replica: String, _ holdings: Holdings, exceptOf device: UInt64?
  ) throws(Violation) {
    let erased = holdings.erased
    for write in writes where isCovered(write, by: holdings.vector) && write.device != device {
      guard !erased.contains(write.place) else { continue }
      guard holds(holdings.state(write.place), write) else {
        throw Violation(3, "\(replica) says that it holds \(name(write)), and does not")
      }
    }
  }

  /// What a replica said on its disk that it holds, it holds after its end (5).
  func checkDurable(
    _ replica: WorldReplica, _ holdings: Holdings, since before: VersionVector
  ) throws(Violation) {
    let erased = holdings.erased
    for write in writes where isCovered(write, by: before) && !erased.contains(write.place) {
      guard holds(holdings.state(write.place), write) else {
        throw Violation(5, "\(replica.name) forgot \(name(write)), which was on its disk")
      }
    }
  }

  private func isCovered(_ write: KnownWrite, by vector: VersionVector) -> Bool {
    let dot = write.change.cell.dot
    return write.fate == .sure && vector.covers(dot) && !isForked(dot)
  }

  private func checkTransactions(
    _ replica: String, _ holdings: Holdings, lettingGo: Set<UInt64>
  ) throws(Violation) {
    let erased = holdings.erased
    for numbers in transactions where numbers.count > 1 {
      var isShown = false
      var lacks: KnownWrite?
      for number in numbers {
        let write = writes[number]
        guard write.fate == .sure, !isForked(write.change.cell.dot), !erased.contains(write.place)
        else { continue }
        let state = holdings.state(write.place)
        if shows(state, write) {
          isShown = true
        } else if !holds(state, write),
          !lettingGo.contains(write.device) || !isWrittenOver(write)
        {
          lacks = write
        }
        if isShown, let lacks {
          throw Violation(
            7, "\(replica) shows half a transaction: it lacks \(name(lacks))")
        }
      }
    }
  }

  /// What holds in the end: no sure write is lost (2), whatever became of its author. `isExcepted` names
  /// the changes that may be.
  func checkNothingIsLost(
    _ replica: String, _ holdings: Holdings, except isExcepted: (Dot) -> Bool = { _ in false }
  ) throws(Violation) {
    for write in writes where write.fate == .sure && !isExcepted(write.change.cell.dot) {
      guard holds(holdings.state(write.place), write, inTheEnd: true) else {
        throw Violation(2, "\(name(write)) is lost at \(replica)")
      }
    }
    for (place, number) in erased where writes[number].fate == .sure {
      guard holdings.states[place] == nil else {
        throw Violation(8, "\(replica) holds \(place.entity)/\(place.id), which was erased")
      }
    }
  }

  func name(_ write: KnownWrite) -> String { name(write.change.cell, write.place) }

  func name(_ cell: Cell, _ place: RecordPlace) -> String {
    let kinds = [
      "creation", "deletion", "register", "annotation", "tally", "member", "removal of a member",
      "item", "place of an item", "removal of an item",
    ]
    let kind = Int(cell.merge.rawValue) < kinds.count ? kinds[Int(cell.merge.rawValue)] : "change"
    return "the \(kind) of field \(cell.field) of \(place.entity)/\(place.id.description.suffix(6))"
      + " by \(String(cell.dot.site.device, radix: 16).prefix(4)) as its change \(cell.dot.seq)"
  }
}
