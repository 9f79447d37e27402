import Measuring
import Dispatch
import ReunionFlow

/// Rows about countdowns.
let timingRows: [(name: String, measure: @Sendable () -> Row)] = [
  ("countdown-create-cancel", createCancel),
  ("countdown-live-bytes", liveBytes),
  ("virtual-countdowns", virtualCountdowns),
]

private func dispatchTimer(
  on queue: DispatchQueue, after seconds: Double, _ action: @escaping @Sendable () -> Void
) -> any DispatchSourceTimer {
  let timer = DispatchSource.makeTimerSource(queue: queue)
  timer.setEventHandler(handler: action)
  timer.schedule(deadline: .now() + seconds)
  timer.activate()
  return timer
}

private func createCancel() -> Row {
  let count = 100_000
  let queue = DispatchQueue(label: "benchmark")
  let ours = {
    for _ in 0..<count { Countdown(after: .seconds(3_600), clock: .system) {}.cancel() }
  }
  let (own, other) = Measure.pair(
    operations: count, ours: ours,
    peer: { for _ in 0..<count { dispatchTimer(on: queue, after: 3_600) {}.cancel() } })
  var row = Row(
    "countdown-create-cancel", ours: own, peer: other, peerName: "DispatchSourceTimer",
    unit: "ns CPU")
  row.allocations = Measure.allocations(ours).map { Double($0) / Double(count) }
  if let held = Measure.heldBytes(ours) {
    row.notes.append("bytes held after \(count) were cancelled: \(held)")
  }
  return row
}

private func liveBytes() -> Row {
  let count = 100_000
  let queue = DispatchQueue(label: "benchmark")
  var countdowns: [Countdown?] = Array(repeating: nil, count: count)
  var timers: [(any DispatchSourceTimer)?] = Array(repeating: nil, count: count)
  let own = Measure.heldBytes {
    for index in 0..<count {
      countdowns[index] = Countdown(after: .seconds(3_600 + index), clock: .system) {}
    }
  }
  let other = Measure.heldBytes {
    for index in 0..<count {
      timers[index] = dispatchTimer(on: queue, after: 3_600 + Double(index)) {}
    }
    // Dispatch takes its timers in on the queue.
    queue.sync {}
  }
  keep((countdowns, timers))
  for timer in timers { timer?.cancel() }
  return Row(
    "countdown-live-bytes", ours: Double(own ?? 0) / Double(count),
    peer: Double(other ?? 0) / Double(count), peerName: "DispatchSourceTimer",
    unit: "bytes each, \(count) live")
}

private func virtualCountdowns() -> Row {
  let (count, liveCount) = (100_000, 10_000)
  let durations = (0..<count).map { _ in Duration.seconds(Double.random(in: 0..<3_600)) }
  let fired = Counter()
  // As many as a large simulation has at once, and the next as many when they are over.
  let ours = {
    let clock = TestClock()
    for start in stride(from: 0, to: count, by: liveCount) {
      fire(durations[start..<start + liveCount], on: clock, fired)
    }
  }
  // A timer of the toolchain cannot run on virtual time: it fires as soon as it can.
  let queue = DispatchQueue(label: "benchmark")
  let peer = {
    for _ in 0..<(count / liveCount) {
      let group = DispatchGroup()
      let timers = (0..<liveCount).map { _ in
        group.enter()
        return dispatchTimer(on: queue, after: 0) { group.leave() }
      }
      group.wait()
      for timer in timers { timer.cancel() }
    }
  }
  let (own, other) = Measure.pair(operations: count, rounds: 5, ours: ours, peer: peer)
  precondition(fired.value == count * 6, "\(fired.value) of \(count * 6) fired")
  var row = Row(
    "virtual-countdowns", oursPerSecond: 1e9 / own, peerPerSecond: 1e9 / other,
    peerName: "DispatchSourceTimer, due at once,")
  let all = (0..<5).map { _ in
    Measure.nanoseconds { fire(durations[...], on: TestClock(), fired) } / Double(count)
  }
  let speed = Report.number(1e9 / Measure.median(all))
  row.notes = ["with \(liveCount) live; with \(count) live: \(speed) per second"]
  return row
}

/// Makes countdowns and lets an hour of virtual time pass.
private func fire(_ durations: ArraySlice<Duration>, on clock: TestClock, _ fired: Counter) {
  let countdowns = durations.map { duration in
    Countdown(after: duration, clock: clock) { fired.add() }
  }
  clock.advance(by: .seconds(3_600))
  keep(countdowns)
}

/// Counts on one thread at a time.
private final class Counter: @unchecked Sendable {
  private(set) var value = 0
  func add() { value += 1 }
}
