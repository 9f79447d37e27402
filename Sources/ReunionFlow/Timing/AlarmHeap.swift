/// A 4-ary heap of alarms, in which every alarm knows its position.
///
/// *Invariants*: no alarm precedes its parent, and `alarms[i].position == i`.
/// *Cost*: insert, remove and take the first are O(log n); the first is O(1).
struct AlarmHeap {
  private(set) var alarms: [Alarm] = []

  /// The alarm that goes off before all others.
  var first: Alarm? { alarms.first }

  /// Puts in an alarm that is in no heap.
  mutating func insert(_ alarm: Alarm) {
    alarms.append(alarm)
    rise(alarm, from: alarms.count - 1)
  }

  /// Takes out an alarm of this heap; one that is not in the heap stays as it is.
  mutating func remove(_ alarm: Alarm) {
    guard let position = alarm.position else { return }
    alarm.position = nil
    let last = alarms.removeLast()
    guard last !== alarm else { return }
    rise(last, from: position)
    if let settled = last.position, settled == position { sink(last, from: position) }
  }

  private mutating func rise(_ alarm: Alarm, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 4
      guard alarm.precedes(alarms[parent]) else { break }
      place(alarms[parent], at: position)
      position = parent
    }
    place(alarm, at: position)
  }

  private mutating func sink(_ alarm: Alarm, from start: Int) {
    var position = start
    while true {
      let children = (4 * position + 1)..<min(4 * position + 5, max(4 * position + 1, alarms.count))
      guard var best = children.first else { break }
      for child in children where alarms[child].precedes(alarms[best]) { best = child }
      guard alarms[best].precedes(alarm) else { break }
      place(alarms[best], at: position)
      position = best
    }
    place(alarm, at: position)
  }

  private mutating func place(_ alarm: Alarm, at position: Int) {
    alarms[position] = alarm
    alarm.position = position
  }
}
