import Foundation
public import Reunion
import Synchronization
import WordsCore

/// What the server takes of what people bring.
extension Umpire {
  /// The server's rule: rounds and points are its own word, and each word must be to be had, in time, once.
  public var rule: TransactionRule {
    TransactionRule { [weak self] transaction in self?.refusal(of: transaction)?.description }
  }

  private func refusal(of transaction: TransactionRule.Transaction) -> Refusal? {
    let own = [GameRound.schema.number, Score.schema.number]
    if transaction.device != store.device,
      transaction.writes.contains(where: { own.contains($0.entity) })
    {
      return .serversWord
    }
    var seen: Set<RecordID> = []
    do {
      for write in transaction.writes where write.entity == Entry.schema.number {
        guard seen.insert(write.record).inserted else { continue }
        let entry = Entry(
          id: write.record, transaction.writes.filter { $0.record == write.record })
        try admit(entry, of: transaction)
      }
      return nil
    } catch {
      return error as? Refusal ?? Refusal("The server could not look at that word: \(error)")
    }
  }

  private func admit(_ entry: Entry?, of transaction: TransactionRule.Transaction) throws {
    guard let entry else { throw Refusal.stays }
    if let held = try store.fetch(Entry.self, entry.id, in: transaction.space) {
      // A device that did not hear that the entry arrived sends it again.
      guard held == entry else { throw Refusal.stays }
      return
    }
    let receivedAt = now
    let refusal = state.withLock { state -> Refusal? in
      guard let id = entry.round?.id, var round = state.running[id] else { return .isOver }
      guard round.space != transaction.space else { return .isShown }
      do throws(Refusal) {
        try round.admit(
          entry.word, as: entry.id, by: transaction.device, at: entry.seat?.id,
          typedAt: Int64(entry.typedAt), receivedAt: receivedAt)
        state.running[id] = round
        return nil
      } catch { return error }
    }
    if let refusal { throw refusal }
  }
}

extension Entry {
  /// The entry that a transaction creates; nil where it changes or deletes one.
  fileprivate init?(id: RecordID, _ writes: [TransactionRule.Write]) {
    guard writes.contains(where: \.isCreation), !writes.contains(where: \.isDeletion) else {
      return nil
    }
    self.init(id: id)
    for write in writes where !write.isCreation {
      switch write.field {
      case 1: round = Reference(storedValue: write.value)
      case 2: seat = Reference(storedValue: write.value)
      case 3: word = String(storedValue: write.value) ?? ""
      case 4: typedAt = Int(storedValue: write.value) ?? 0
      default: return nil
      }
    }
  }
}
