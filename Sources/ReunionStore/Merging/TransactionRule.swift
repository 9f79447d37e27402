public import ReunionCore

/// An app's own rule about what others send: it sees each transaction, and may refuse it with a
/// sentence.
///
/// ```swift
/// let rule = TransactionRule { transaction in
///   let isLong = transaction.writes.contains { write in
///     (String(storedValue: write.value)?.count ?? 0) > 100
///   }
///   return isLong ? "A note has a hundred letters at most." : nil
/// }
/// print(rule)
/// ```
/// A refusal covers the whole transaction, and everything that builds on a record that only this
/// transaction creates. Its author's device undoes it, and `Replica.refusedChanges` tells the
/// sentence, of which 1,024 bytes arrive.
///
/// Parts of a transaction that were overwritten since do not arrive, and the rule does not see
/// them; nor does it see what the server holds already. So it may compare with what the store has.
/// It is asked again of what comes again, and should answer the same.
///
/// *Thread*: any; no lock is held, and nobody else in the space is served meanwhile. *Cost*: the
/// push stays in memory while the rule looks at it.
public struct TransactionRule: Sendable {
  /// What somebody did at once: what of one write of theirs arrives in one push.
  public struct Transaction: Sendable {
    /// The space.
    public let space: SpaceID
    /// The device that wrote it, by its number in the space.
    public let device: UInt64
    /// What it writes, in no order that counts.
    public let writes: [Write]
  }

  /// One write of a transaction: a field of a record, or that it is created or deleted. Writes of
  /// the library's own entities come too, with numbers from 16,777,200 on: let what you do not know
  /// pass.
  public struct Write: Sendable {
    /// The entity's number, as the model has it (`EntitySchema.number`).
    public let entity: UInt32
    /// The record.
    public let record: RecordID
    /// The field's number; 0 where the record is created or deleted.
    public let field: UInt32
    /// Whether it creates the record. Its fields are writes of their own.
    public let isCreation: Bool
    /// Whether it deletes the record. A deletion for good is a write of the library's own entity.
    public let isDeletion: Bool
    /// What it writes into the field, as `String(storedValue:)` and others read it. Of a counter it
    /// is the sum of what the device has added, and of a set or a list one element. Where an
    /// element goes or moves, it is bytes of the library's own.
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
  package struct Key: Hashable, Comparable, Sendable {
    let site: Site
    let stamp: Stamp

    package static func < (left: Key, right: Key) -> Bool {
      (left.stamp, left.site.device, left.site.incarnation)
        < (right.stamp, right.site.device, right.site.incarnation)
    }
  }

  /// A transaction that was refused, and why.
  package struct Verdict: Sendable {
    /// The device that wrote it.
    package let device: UInt64
    /// The rule's sentence.
    package let sentence: String
  }

  private let refuse: @Sendable (Transaction) -> String?

  /// Takes a function that says in a sentence why it refuses a transaction, or returns nil to
  /// accept it.
  ///
  /// The transactions of a push come one after the other in the order of their clocks, and all
  /// before any is taken. Of two that exclude each other, the function itself has to find the
  /// second.
  public init(_ refuse: @escaping @Sendable (Transaction) -> String?) { self.refuse = refuse }

  /// Which transactions of these changes are refused.
  func verdicts(on changes: [Change], in space: SpaceID) -> [Key: Verdict] {
    let transactions = Dictionary(grouping: changes) {
      Key(site: $0.cell.dot.site, stamp: $0.cell.stamp)
    }
    var verdicts: [Key: Verdict] = [:]
    // In the order in which they were written: of two that exclude each other the later one is
    // refused.
    for (key, changes) in transactions.sorted(by: { $0.key < $1.key }) {
      let device = key.site.device
      let transaction = Transaction(space: space, device: device, writes: changes.map(Write.init))
      guard let sentence = refuse(transaction) else { continue }
      verdicts[key] = Verdict(device: device, sentence: Self.clipped(sentence))
    }
    return verdicts
  }

  /// As many whole characters as fit into a refusal.
  private static func clipped(_ sentence: String) -> String {
    var sentence = sentence[...]
    while sentence.utf8.count > Bye.sentenceBytesMax {
      sentence = sentence.prefix(min(sentence.count - 1, Bye.sentenceBytesMax))
    }
    return String(sentence)
  }
}
