/// An action that waits in a heap, and that knows its place there.
///
/// The queue's lock guards all that varies, which is why this class may promise to be Sendable.
final class Alarm: Cancellable, @unchecked Sendable {
  /// When to run; the first half of the order.
  let moment: Moment
  /// The number of the `schedule` call; the second half of the order.
  let sequence: UInt64
  /// The place in the heap, or `nil` outside it.
  var position: Int?
  /// What to run; `nil` once it has been taken out to run or was cancelled.
  var action: (@Sendable () -> Void)?
  private weak let queue: AlarmQueue?

  init(
    moment: Moment, sequence: UInt64, queue: AlarmQueue?, action: (@Sendable () -> Void)? = nil
  ) {
    self.moment = moment
    self.sequence = sequence
    self.queue = queue
    self.action = action
  }

  func cancel() { queue?.remove(self) }

  /// True when this alarm goes off before the other one. It is a total order within a queue.
  func precedes(_ other: Alarm) -> Bool {
    moment == other.moment ? sequence < other.sequence : moment < other.moment
  }
}
