import ReunionCore

/// A guest's push in slices that can be let in one after the other, so that nobody waits for long.
///
/// What belongs together stays together: the changes of one record, and of one transaction. So each
/// slice is admitted as the whole would be, and no transaction is ever half here. *Cost*: about linear
/// in the changes.
struct PushSlices {
  /// The changes of what belongs together at most: more is refused.
  static let changesMax = 2000

  private(set) var slices: [[Change]] = []

  /// A slice has as many changes as `wanted`, or what belongs together alone.
  init(_ changes: [Change], of wanted: Int) {
    var groups = Groups()
    let records = changes.map { groups.join($0) }
    var members: [Int: [Change]] = [:]
    var order: [Int] = []
    for (change, record) in zip(changes, records) {
      let group = groups.first(of: record)
      if members[group] == nil { order.append(group) }
      members[group, default: []].append(change)
    }
    for group in order {
      let next = members[group] ?? []
      if let last = slices.last, last.count + next.count <= wanted {
        slices[slices.count - 1] += next
      } else {
        slices.append(next)
      }
    }
  }

  /// Records that belong together, each by its number (union and find).
  private struct Groups {
    private struct Transaction: Hashable {
      let site: Site
      let stamp: Stamp
    }

    private var parents: [Int] = []
    private var records: [RecordKey: Int] = [:]
    private var transactions: [Transaction: Int] = [:]

    /// The number of a change's record, which belongs to the others of its transaction from now on.
    mutating func join(_ change: Change) -> Int {
      let key = RecordKey(change)
      let record = records[key] ?? parents.count
      if record == parents.count {
        records[key] = record
        parents.append(record)
      }
      let transaction = Transaction(site: change.cell.dot.site, stamp: change.cell.stamp)
      guard let other = transactions[transaction] else {
        transactions[transaction] = record
        return record
      }
      let (one, two) = (first(of: record), first(of: other))
      if one != two { parents[max(one, two)] = min(one, two) }
      return record
    }

    mutating func first(of record: Int) -> Int {
      var record = record
      while parents[record] != record {
        parents[record] = parents[parents[record]]
        record = parents[record]
      }
      return record
    }
  }
}
