import Dispatch
import ReunionCore
import ReunionDisk
public import ReunionFlow

extension Store {
  /// How far the indexes of words are made anew; nil while there is nothing to do.
  ///
  /// A version of the library that finds words otherwise makes the index of an older store anew
  /// after the opening, on a thread of its own. Until it is done, searches find at least what they
  /// found before. It commits 256 records at a time, and other writes come in between.
  ///
  /// ```swift
  /// let watching = store.wordsRenewal.observe { renewal in
  ///   if let renewal { print("Words:", renewal.doneCount, "of", renewal.recordCount) }
  /// }
  /// ```
  /// A program that ends meanwhile begins again at its next start, with a look at each record. If
  /// the disk is full or fails, the signal becomes nil and the next start tries again.
  public var wordsRenewal: Signal<WordsRenewal?> { renewal.signal }

  /// Makes the words of all indexes anew on another thread, some records at a time, and lets others
  /// write in between. Where the store is closed or fails meanwhile, the next start does it.
  func renewWords() {
    DispatchQueue.global(qos: .utility).async { [weak self] in
      var walk: WordsWalk?
      // Nobody's store is kept open by it.
      while let store = self, store.renewNextWords(&walk) {}
    }
  }

  /// Makes the words of the next records anew; false if none is left, or if the store failed.
  private func renewNextWords(_ walk: inout WordsWalk?) -> Bool {
    do throws(StoreError) {
      var next = if let begun = walk { begun } else { try startOfWords() }
      guard let (index, space) = next.pending.last else {
        try commit { (_, records) throws(StoreError) in
          (try WordsRenewal.note(records.reader.connection), nil)
        }
        renewal.value = nil
        return false
      }
      let (last, count) = try renewWords(of: index, in: space, after: next.last)
      next.last = last
      if last == nil { next.pending.removeLast() }
      renewal.value?.doneCount += count
      walk = next
      return true
    } catch {
      // A full disk or a closed store: what was found before is still found.
      renewal.value = nil
      return false
    }
  }

  private func startOfWords() throws(StoreError) -> WordsWalk {
    let indexes = layout.textIndexes.values.sorted { $0.entity < $1.entity }
    var walk = WordsWalk()
    var count = 0
    try readTransaction { (reader) throws(StoreError) in
      for index in indexes {
        for space in try reader.spaces() { walk.pending.append((index, space)) }
        count += Int(try reader.connection.number("SELECT count(*) FROM \(index.rowsName)") ?? 0)
      }
    }
    renewal.value = WordsRenewal(doneCount: 0, recordCount: count)
    return walk
  }

  /// Makes the words of some records anew. Returns the row of the last one, or nil if none is left,
  /// and how many there were.
  private func renewWords(
    of index: TextIndex, in space: SpaceID, after last: Int64?
  ) throws(StoreError) -> (last: Int64?, count: Int) {
    try commit { (writer, records) throws(StoreError) in
      guard let number = try records.reader.numbers.existingNumber(of: space) else {
        return ((nil, 0), nil)
      }
      let rows = try records.reader.words(of: index, space: number, after: last)
      var touches = Touches()
      for row in rows where row.texts.map(UnspacedText.gapped) != row.texts {
        try records.write(row.texts, of: row.record, in: index, space: number)
        touches.add(RecordKey(entity: index.entity, id: row.record), .all)
      }
      let arrival = try writer.space(space, records).arrival
      var commit = Commit(space: space, arrival: arrival, touches: touches)
      commit.keepsArrival = true
      return ((rows.last?.number, rows.count), touches.isEmpty ? nil : commit)
    }
  }
}

/// Which words are still to be made anew, the next ones last, and the row up to which they are.
private struct WordsWalk {
  var pending: [(TextIndex, SpaceID)] = []
  var last: Int64?
}

extension RecordReader {
  /// What an index has of some records of a space, in the order of its rows.
  fileprivate func words(
    of index: TextIndex, space: Int64, after last: Int64?
  ) throws(StoreError) -> [(number: Int64, record: RecordID, texts: [[UInt8]])] {
    let columns = index.fields.map { ", words.f\($0)" }.joined()
    let statement = try connection.statement(
      """
      SELECT words.rowid, rows.id\(columns) FROM \(index.name) AS words \
      JOIN \(index.rowsName) AS rows ON rows.number = words.rowid \
      WHERE words.rowid > ?2 AND \(TextIndex.isInSpace("words.rowid")) \
      ORDER BY words.rowid LIMIT \(WordsRenewal.batchCount)
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, last ?? 0)
    var rows: [(number: Int64, record: RecordID, texts: [[UInt8]])] = []
    while try statement.step() {
      let texts = index.fields.indices.map { statement.bytes(Int32($0 + 2)) }
      rows.append((statement.int(0), try statement.identifier(1), texts))
    }
    return rows
  }
}
