package import ReunionCore
import ReunionDisk

extension Store {
  /// The refusals of a site's device that the site has not answered, from the one after a number on,
  /// each with the cells that stand: as many as have about `bytesMax` bytes, and one at least where
  /// there is any.
  package func refusals(
    of site: Site, after number: Int64, in space: SpaceID, bytesMax: Int
  ) throws -> [StandingRefusal] {
    try readTransaction { (reader) throws(StoreError) in
      guard let space = try reader.numbers.existingNumber(of: space) else { return [] }
      var found: [StandingRefusal] = []
      var byteCount = 0
      let ledger = RefusalLedger(reader.connection, space: space, site: site)
      try ledger.forEach(after: number) { (number, refusal) throws(StoreError) in
        let key = RecordKey(entity: refusal.entity, id: refusal.record)
        let cells = try reader.record(key, space: space)?.state.cells ?? []
        byteCount += cells.reduce(64 + 24 * refusal.sent.entries.count + refusal.sentence.count) {
          $0 + $1.approximateBytes
        }
        guard found.isEmpty || byteCount <= bytesMax else { return false }
        found.append(StandingRefusal(number: number, refusal: refusal, cells: cells))
        return true
      }
      return found
    }
  }

  /// Notes that a site has taken its device's changes back, up to the refusal of a number. Between
  /// replicas the push does so that proves it (`IncomingPush.answered`).
  package func answerRefusals(of site: Site, upTo number: Int64, in space: SpaceID) throws {
    try commit { (_, records) throws(StoreError) in
      let space = try records.reader.numbers.number(of: space)
      try RefusalLedger(records.reader.connection, space: space, site: site)
        .answer(upTo: number)
      return ((), nil)
    }
  }
}
