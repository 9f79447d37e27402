import ReunionCore

/// What differs between two results of a query, by index.
///
/// ```swift
/// let photos = try store.liveResult(of: Query<Photo>(in: space).sorted(by: \.caption))
/// var rows: [String?] = []
/// for await update in photos.changes() {
///   let (changes, result) = (update.changes, update.result)
///   for index in (changes.removals + changes.moves.map(\.from)).sorted(by: >) {
///     rows.remove(at: index)
///   }
///   for index in (changes.insertions + changes.moves.map(\.to)).sorted() {
///     rows.insert(result[index].caption, at: index)
///   }
///   for index in changes.updates { rows[index] = result[index].caption }
/// }
/// ```
/// To make the later of the earlier one: take out what is at `removals` and at the `from` of moves,
/// then put in what is at `insertions` and at the `to` of moves, in rising order, and read what is
/// at `updates` anew. A list on a screen does exactly that.
///
/// A record that moved and has other contents is in `moves` and in `updates`.
public struct QueryChanges: Hashable, Sendable {
  /// A record that stands elsewhere among those that stay.
  public struct Move: Hashable, Sendable {
    /// Its index in the earlier result.
    public var from: Int
    /// Its index in the later result.
    public var to: Int
  }

  /// Of records that are in the earlier result alone, their indices there, rising.
  public internal(set) var removals: [Int] = []
  /// Of records that are in the later result alone, their indices there, rising.
  public internal(set) var insertions: [Int] = []
  /// Records that are in both and changed places with others: as few as possible, rising by `to`.
  public internal(set) var moves: [Move] = []
  /// Of records that are in both with other contents, the indices in the later result, rising.
  public internal(set) var updates: [Int] = []

  /// Whether nothing differs.
  public var isEmpty: Bool {
    removals.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
  }
}

extension QueryResult {
  /// What differs from an earlier result; everything is inserted if there is none.
  ///
  /// The two should be of one query: records are compared by their ids alone, and then by their
  /// fields. *Cost*: O(n) where records stay in their order, O(n log n) otherwise. Source: patience
  /// sorting, for the fewest moves.
  public func changes(since earlier: QueryResult?) -> QueryChanges {
    var changes = QueryChanges()
    guard let earlier else {
      changes.insertions = Array(indices)
      return changes
    }
    // Most commits change little: what is equal at both ends needs no look-up.
    var start = 0
    while start < count, start < earlier.count, ids[start] == earlier.ids[start] {
      if !isSame(at: start, as: earlier, at: start) { changes.updates.append(start) }
      start += 1
    }
    var (end, earlierEnd) = (count, earlier.count)
    var updatesAtEnd: [Int] = []
    while end > start, earlierEnd > start, ids[end - 1] == earlier.ids[earlierEnd - 1] {
      end -= 1
      earlierEnd -= 1
      if !isSame(at: end, as: earlier, at: earlierEnd) { updatesAtEnd.append(end) }
    }
    compare(start..<end, with: earlier, start..<earlierEnd, &changes)
    changes.updates += updatesAtEnd.reversed()
    return changes
  }

  private func compare(
    _ range: Range<Int>, with earlier: QueryResult, _ earlierRange: Range<Int>,
    _ changes: inout QueryChanges
  ) {
    var indices: [RecordID: Int] = [:]
    for index in earlierRange { indices[earlier.ids[index]] = index }
    var stayed: [QueryChanges.Move] = []
    for index in range {
      guard let from = indices.removeValue(forKey: ids[index]) else {
        changes.insertions.append(index)
        continue
      }
      stayed.append(QueryChanges.Move(from: from, to: index))
      if !isSame(at: index, as: earlier, at: from) { changes.updates.append(index) }
    }
    changes.removals = indices.values.sorted()
    let unmoved = Self.longestRise(stayed.map(\.from))
    changes.moves = stayed.indices.filter { !unmoved.contains($0) }.map { stayed[$0] }
  }

  /// The positions of the longest rising subsequence. Source: patience sorting.
  private static func longestRise(_ numbers: [Int]) -> Set<Int> {
    /// The positions of the least number that ends a rise of each length.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: numbers.count)
    for (position, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      before[position] = low > 0 ? ends[low - 1] : nil
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var rise: Set<Int> = []
    var next = ends.last
    while let position = next {
      rise.insert(position)
      next = before[position]
    }
    return rise
  }
}
