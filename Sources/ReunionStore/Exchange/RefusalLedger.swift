import ReunionCore
import ReunionDisk

/// What was refused of a device's changes in a space.
///
/// A refusal is written in the commit that raises the vector over the refused changes. Each site of
/// the device is told of it until it has taken them back and said so: copies of one folder have one
/// device, and each holds the changes. The last ones are kept for the copies that come later.
struct RefusalLedger {
  /// Records of a device that wait at most; then its pushes are not taken. As many are kept.
  static let countMax: Int64 = 4096

  private let connection: DatabaseConnection
  private let space: Int64
  private let site: Site

  /// The ledger of a site's device, as that site is told of it.
  init(_ connection: DatabaseConnection, space: Int64, site: Site) {
    self.connection = connection
    self.space = space
    self.site = site
  }

  /// Adds records, in a transaction. One that is there already gets a new number, and is said again.
  ///
  /// Its sentence is the newest that it has.
  /// - Throws: `refusalsUnanswered` where there would be too many.
  func add(_ refusals: [Refusal]) throws(StoreError) {
    for refusal in refusals {
      var (sent, sentence) = (refusal.sent, refusal.sentence)
      if let earlier = try self.refusal(RecordKey(entity: refusal.entity, id: refusal.record)) {
        sent.merge(earlier.sent)
        if sentence.isEmpty { sentence = earlier.sentence }
      }
      var writer = ByteWriter()
      writer.vector(sent)
      let insert = try statement(
        "INSERT OR REPLACE INTO reunion_refusal(space, device, entity, record, sent, sentence) "
          + "VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
      try insert.bind(3, Int64(refusal.entity))
      try insert.bind(4, refusal.record)
      try insert.bind(5, writer.bytes)
      try insert.bind(6, sentence)
      try insert.run()
    }
    let count = try statement(
      """
      SELECT count(*) FROM reunion_refusal WHERE space = ?1 AND device = ?2 AND number > \
      (SELECT ifnull(max(number), 0) FROM reunion_refusal_answer WHERE space = ?1 AND device = ?2)
      """)
    defer { count.reset() }
    guard try count.step(), count.int(0) > Self.countMax else { return }
    throw StoreError(
      .refusalsUnanswered,
      "Over \(Self.countMax) refused records wait for this device: it must take them back first.")
  }

  /// Calls a closure with the rows after a number that the site has not answered, in their order,
  /// until it gives false.
  func forEach(
    after number: Int64, _ body: (Int64, Refusal) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let select = try statement(
      """
      SELECT number, entity, record, sent, sentence FROM reunion_refusal \
      WHERE space = ?1 AND device = ?2 AND number > max(?3, ifnull((SELECT number FROM \
      reunion_refusal_answer WHERE space = ?1 AND device = ?2 AND incarnation = ?4), 0)) \
      ORDER BY number
      """)
    defer { select.reset() }
    try select.bind(3, number)
    try select.bind(4, Int64(bitPattern: site.incarnation))
    while try select.step() {
      let key = RecordKey(
        entity: UInt32(truncatingIfNeeded: select.int(1)), id: try select.identifier(2))
      guard try body(select.int(0), try Self.refusal(of: key, select, 3)) else { return }
    }
  }

  /// What the site was refused of each record and has not answered.
  func unanswered() throws(StoreError) -> [RecordKey: VersionVector] {
    var found: [RecordKey: VersionVector] = [:]
    try forEach(after: 0) { (_, refusal) throws(StoreError) in
      found[RecordKey(entity: refusal.entity, id: refusal.record)] = refusal.sent
      return true
    }
    return found
  }

  /// Notes that the site has taken back what stands up to a number, in a transaction.
  func answer(upTo number: Int64) throws(StoreError) {
    let insert = try statement(
      "INSERT OR REPLACE INTO reunion_refusal_answer(space, device, incarnation, number) "
        + "VALUES(?1, ?2, ?4, ?3)")
    try insert.bind(3, number)
    try insert.bind(4, Int64(bitPattern: site.incarnation))
    try insert.run()
    let delete = try statement(
      """
      DELETE FROM reunion_refusal WHERE space = ?1 AND device = ?2 AND number <= ?3 \
      AND number <= (SELECT number FROM reunion_refusal WHERE space = ?1 AND device = ?2 \
      ORDER BY number DESC LIMIT 1 OFFSET ?4)
      """)
    try delete.bind(3, number)
    try delete.bind(4, Self.countMax)
    try delete.run()
  }

  private func refusal(_ key: RecordKey) throws(StoreError) -> Refusal? {
    let select = try statement(
      "SELECT sent, sentence FROM reunion_refusal "
        + "WHERE space = ?1 AND device = ?2 AND entity = ?3 AND record = ?4")
    defer { select.reset() }
    try select.bind(3, Int64(key.entity))
    try select.bind(4, key.id)
    return try select.step() ? try Self.refusal(of: key, select, 0) : nil
  }

  private func statement(_ sql: String) throws(StoreError) -> Statement {
    let statement = try connection.statement(sql)
    try statement.bind(1, space)
    try statement.bind(2, Int64(bitPattern: site.device))
    return statement
  }

  /// Reads what was sent from a column, and the sentence from the next one.
  private static func refusal(
    of key: RecordKey, _ statement: Statement, _ column: Int32
  ) throws(StoreError) -> Refusal {
    do throws(WireError) {
      var reader = ByteReader(statement.bytes(column))
      let sent = try reader.vector()
      try reader.finish()
      return Refusal(
        entity: key.entity, record: key.id, sent: sent, sentence: statement.bytes(column + 1))
    } catch {
      throw statement.damaged("a refusal")
    }
  }
}
