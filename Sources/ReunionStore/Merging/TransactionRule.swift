public import ReunionCore

/// A rule of an app's own about what others bring: it sees each transaction, and may refuse it with a
/// sentence.
///
///     TransactionRule { transaction in
///       let isLong = transaction.writes.contains { String(storedValue: $0.value)?.count ?? 0 > 100 }
///       return isLong ? "A note has a hundred letters at most." : nil
///     }
///
/// A transaction that is refused is refused whole, and with it what builds on a record that it alone
/// creates. Its author is told, and takes it back, as what a role does not allow. What of a transaction was
/// written over since does not come any more, and the rule does not see it. *Thread*: any, no lock is
/// held, and nobody else of the space is served meanwhile. *Cost*: a push is in memory while it is looked at.
public struct TransactionRule: Sendable {
  /// What somebody did at once.
  public struct Transaction: Sendable {
    /// The space.
    public let space: SpaceID
    /// The device that wrote it.
    public let device: UInt64
    /// What it writes.
    public let writes: [Write]
  }

  /// One write of a transaction.
  public struct Write: Sendable {
    /// The entity's number.
    public let entity: UInt32
    /// The record.
    public let record: RecordID
    /// The field's number; 0 where the record is created or deleted.
    public let field: UInt32
    /// Whether it creates the record.
    public let isCreation: Bool
    /// Whether it deletes the record.
    public let isDeletion: Bool
    /// What it writes into the field, as `String(storedValue:)` and others read it.
    public let value: Value

    init(_ change: Change) {
      entity = change.entity
      record = change.record
      field = change.cell.field
      isCreation = change.cell.merge == .creation
      isDeletion = change.cell.merge == .deletion
      value = isCreation || isDeletion ? .null : change.cell.value
    }
  }

  /// What a transaction is known by.
  package struct Key: Hashable, Sendable {
    let site: Site
    let stamp: Stamp
  }

  /// A transaction that was refused, and why.
  package struct Verdict: Sendable {
    /// The device that wrote it.
    package let device: UInt64
    /// The rule's sentence.
    package let sentence: String
  }

  private let refuse: @Sendable (Transaction) -> String?

  /// Takes a function that says in a sentence why a transaction is refused; nil where it is let in.
  public init(_ refuse: @escaping @Sendable (Transaction) -> String?) { self.refuse = refuse }

  /// Which transactions of these changes are refused.
  func verdicts(on changes: [Change], in space: SpaceID) -> [Key: Verdict] {
    let transactions = Dictionary(grouping: changes) {
      Key(site: $0.cell.dot.site, stamp: $0.cell.stamp)
    }
    var verdicts: [Key: Verdict] = [:]
    for (key, changes) in transactions {
      let device = key.site.device
      let transaction = Transaction(space: space, device: device, writes: changes.map(Write.init))
      guard let sentence = refuse(transaction) else { continue }
      verdicts[key] = Verdict(device: device, sentence: sentence)
    }
    return verdicts
  }
}
