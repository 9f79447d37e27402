import Measuring
import Dispatch
import Foundation
import Observation
import ReunionFlow

/// Rows about signals.
let signalRows: [(name: String, measure: @Sendable () -> Row)] = [
  ("variable-map-observer", variableMapObserver),
  ("combine-latest", combineLatestOfTwo),
  ("fan-out-delivery", fanOut),
  ("subscribe-cancel-100k", subscribeCancel),
]

/// Adds up what observers get, so that nothing is optimised away; used by one thread at a time.
private final class Sum: @unchecked Sendable {
  var total = 0
}

/// The median CPU time of one operation, where the body does `operations` of them. One round before
/// warms it up.
private func cost(_ operations: Int, rounds: Int = 7, _ body: () -> Void) -> Double {
  body()
  return Measure.median(
    (0..<rounds).map { _ in Measure.nanoseconds(.process, body) / Double(operations) })
}

/// Writes `count` values from this thread. Each is handled before the next, as with ours.
private func handOver(
  _ count: Int, write: (Int) -> Void, finish: () -> Void,
  read: @escaping @Sendable (_ handled: @Sendable () -> Void) async -> Void
) {
  let (handled, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  Task.detached {
    await read { handled.signal() }
    done.signal()
  }
  for value in 1...count {
    write(value)
    handled.wait()
  }
  finish()
  done.wait()
}

private func variableMapObserver() -> Row {
  let count = 1_000_000
  let sum = Sum()
  let variable = Variable(0)
  let subscription = variable.signal.map { $0 &+ 1 }.observe { sum.total &+= $0 }
  let ours = { for value in 0..<count { variable.value = value } }
  let own = cost(count, ours)
  var row = Row(
    "variable-map-observer", ours: own, peer: cost(20_000) { streamed(20_000) },
    peerName: "AsyncStream to a task", unit: "ns CPU a change")
  row.allocations = Measure.allocations(ours).map { Double($0) / Double(count) }
  row.notes.append(
    "AsyncStream between two tasks: \(Report.number(cost(20_000) { hops(20_000) })) ns")
  row.notes.append(
    "withObservationTracking, armed anew for each change: \(Report.number(tracking())) ns")
  subscription.cancel()
  return row
}

/// Elements that a thread sends and a task maps and handles.
private func streamed(_ count: Int) {
  let (stream, continuation) = AsyncStream<Int>.makeStream()
  let sum = Sum()
  handOver(
    count, write: { continuation.yield($0) }, finish: { continuation.finish() },
    read: { handled in
      for await value in stream.map({ $0 &+ 1 }) {
        sum.total &+= value
        handled()
      }
    })
}

/// Elements that two tasks send each other; they may well share a thread.
private func hops(_ count: Int) {
  let (there, ping) = AsyncStream<Int>.makeStream()
  let (back, pong) = AsyncStream<Int>.makeStream()
  Task.detached {
    for await value in there { pong.yield(value &+ 1) }
  }
  handOver(
    1, write: { _ in }, finish: {},
    read: { handled in
      var iterator = back.makeAsyncIterator()
      for value in 0..<count / 2 {
        ping.yield(value)
        _ = await iterator.next()
      }
      ping.finish()
      handled()
    })
}

@Observable private final class Model {
  var value = 0
}

private func tracking() -> Double {
  let count = 100_000
  let model = Model()
  let sum = Sum()
  return cost(count) {
    for value in 0..<count {
      let current = withObservationTracking({ model.value }, onChange: { sum.total &+= 1 })
      model.value = current &+ value
    }
  }
}

private func combineLatestOfTwo() -> Row {
  let count = 500_000
  let sum = Sum()
  let left = Variable(0)
  let right = Variable(0)
  let subscription = combineLatest(left.signal, right.signal).map { $0 &+ $1 }.distinct()
    .observe { sum.total &+= $0 }
  let ours = {
    for value in 0..<count / 2 {
      left.value = value
      right.value = value
    }
  }
  var row = Row(
    "combine-latest", ours: cost(count, ours), peer: cost(20_000) { combinedStreams(20_000) },
    peerName: "two AsyncStreams combined", unit: "ns CPU a change")
  row.allocations = Measure.allocations(ours).map { Double($0) / Double(count) }
  subscription.cancel()
  return row
}

/// The newest elements of two streams.
private actor Pair {
  private var left = 0
  private var right = 0
  private var last: Int?

  /// The sum, unless it is that of before.
  func take(_ value: Int, isLeft: Bool) -> Int? {
    if isLeft { left = value } else { right = value }
    let sum = left &+ right
    defer { last = sum }
    return sum == last ? nil : sum
  }
}

/// Two streams that a thread sends to, each read by a task, combined, without duplicates, and read
/// by a third task.
private func combinedStreams(_ count: Int) {
  let (lefts, left) = AsyncStream<Int>.makeStream()
  let (rights, right) = AsyncStream<Int>.makeStream()
  let (sums, sum) = AsyncStream<Int>.makeStream()
  let pair = Pair()
  for (stream, isLeft) in [(lefts, true), (rights, false)] {
    Task.detached {
      for await value in stream {
        if let new = await pair.take(value, isLeft: isLeft) { sum.yield(new) }
      }
    }
  }
  let total = Sum()
  handOver(
    count, write: { ($0 % 2 == 0 ? left : right).yield($0) },
    finish: { for end in [left, right, sum] { end.finish() } },
    read: { handled in
      for await value in sums {
        total.total &+= value
        handled()
      }
    })
}

private func fanOut() -> Row {
  let (observerCount, changeCount) = (1_000, 1_000)
  let sum = Sum()
  let variable = Variable(0)
  let bag = DisposeBag()
  for _ in 0..<observerCount { variable.signal.observe { sum.total &+= $0 }.store(in: bag) }
  let ours = { for value in 0..<changeCount { variable.value = value } }
  let model = Model()
  let tracked = 20
  let peer = cost(observerCount * tracked) {
    for value in 0..<tracked {
      for _ in 0..<observerCount {
        _ = withObservationTracking({ model.value }, onChange: { sum.total &+= 1 })
      }
      model.value = value
    }
  }
  var row = Row(
    "fan-out-delivery", ours: cost(observerCount * changeCount, ours), peer: peer,
    peerName: "withObservationTracking", unit: "ns CPU a delivery, 1,000 observers")
  row.allocations = Measure.allocations(ours).map {
    Double($0) / Double(observerCount * changeCount)
  }
  bag.cancelAll()
  return row
}

private func subscribeCancel() -> Row {
  let sum = Sum()
  /// With `live` observers, the cost of one that comes and goes, and of one that takes the place of
  /// the oldest.
  func costs(live: Int) -> (pair: Double, turnover: Double) {
    let variable = Variable(0)
    var subscriptions = (0..<live).map { _ in variable.signal.observe { sum.total &+= $0 } }
    let count = 100_000
    let pair = cost(count) {
      for _ in 0..<count { variable.signal.observe { sum.total &+= $0 }.cancel() }
    }
    let turnover = cost(count) {
      for index in 0..<count {
        subscriptions[index % live].cancel()
        subscriptions[index % live] = variable.signal.observe { sum.total &+= $0 }
      }
    }
    return (pair, turnover)
  }
  let few = costs(live: 10_000)
  let many = costs(live: 100_000)
  var row = Row(
    "subscribe-cancel-100k", ours: many.pair, peer: few.pair, peerName: "ours at 10,000 live",
    unit: "ns CPU at 100,000 live")
  row.notes.append(
    "in place of the oldest: \(Report.number(many.turnover)), at 10,000 live "
      + Report.number(few.turnover))
  let variable = Variable(0)
  let million = {
    for _ in 0..<1_000_000 { variable.signal.observe { sum.total &+= $0 }.cancel() }
  }
  if let held = Measure.heldBytes(million) {
    row.notes.append("bytes held after 1,000,000 came and went: \(held)")
  }
  return row
}
