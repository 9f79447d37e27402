import Foundation
package import Reunion
import ScreenTimeCore

/// What the server of a family takes of uses: a use grows until it is over, and stays as it was
/// then.
package enum UseRule {
  static let deletion =
    "What was used is not deleted by a device: a parent's page deletes a history."
  static let rewriting = "A use stays as it was noted, and only grows until it is over."

  /// The rule, over the store that the server serves: for whatever device, of whatever role.
  package static func rule(in store: Store) -> TransactionRule {
    TransactionRule { transaction in
      let mine = transaction.writes.filter { $0.entity == UseRecord.schema.number }
      guard !mine.isEmpty else { return nil }
      if mine.contains(where: \.isDeletion) { return deletion }
      for (id, writes) in Dictionary(grouping: mine, by: \.record) {
        do {
          // One that is deleted already changes nothing.
          let use = try store.fetch(UseRecord.self, id, in: transaction.space)
          if let use, !writes.allSatisfy({ may($0, use) }) { return rewriting }
        } catch {
          return "The server cannot read what was used. Try again later."
        }
      }
      return nil
    }
  }

  /// Whether a write of a field goes on with a use, or says what it is already.
  private static func may(_ write: TransactionRule.Write, _ use: UseRecord) -> Bool {
    if write.isCreation { return true }
    let isOpen = use.ending == Use.Ending.open.rawValue
    switch write.field {
    case 6:
      guard let length = Int(storedValue: write.value) else { return false }
      return isOpen ? length >= use.milliseconds : length == use.milliseconds
    case 7: return isOpen || String(storedValue: write.value) == use.ending
    case 1: return write.value == use.device.storedValue
    case 2: return write.value == use.number.storedValue
    case 3: return write.value == use.program.storedValue
    case 4: return write.value == use.startedAt.storedValue
    case 5: return write.value == use.offset.storedValue
    default: return true
    }
  }
}
