import ReunionFlow
import Synchronization
import Testing

/// Turns that are disturbed: from inside, and from other threads.
@Suite struct TurnTests {
  @Test func `re-entrant writes arrive in order at every observer`() {
    let source = Variable(0)
    let recorders = (0..<5).map { _ in Recorder<Int>() }
    let bag = DisposeBag()
    for recorder in recorders {
      source.signal.observe { value in
        recorder.add(value)
        // Every observer writes in every turn, before the ones after it were called.
        if (1..<100).contains(value) { source.value += 1 }
      }.store(in: bag)
    }
    let mapped = Recorder<Int>()
    source.signal.map { $0 * 2 }.observe { mapped.add($0) }.store(in: bag)
    source.value = 1
    let first = recorders[0].values
    // Five writes in each of the turns of 1 to 99, each a turn of its own.
    #expect(first == Array(0...(1 + 99 * 5)))
    for recorder in recorders { #expect(recorder.values == first) }
    #expect(mapped.values == first.map { $0 * 2 })
  }

  @Test func `a write while delivering is delivered after this turn, to later observers too`() {
    let source = Variable(0)
    let log = Recorder<String>()
    let bag = DisposeBag()
    source.signal.observe {
      log.add("a\($0)")
      if $0 == 1 {
        source.value = 2
        source.value = 3
        log.add("newest \(source.value), published \(source.signal.value)")
      }
    }.store(in: bag)
    source.signal.map { $0 }.observe { log.add("b\($0)") }.store(in: bag)
    source.value = 1
    #expect(
      log.values == ["a0", "b0", "a1", "newest 3, published 1", "b1", "a2", "b2", "a3", "b3"])
  }

  @Test func `a subscription cancelled by another thread within a turn is called no more`() {
    for _ in 0..<200 {
      let source = Variable(0)
      let isInTurn = Atomic(false)
      let isCancelled = Atomic(false)
      let late = Recorder<Int>()
      // The first observer holds the turn until the other thread has cancelled the second.
      let first = source.signal.observe { value in
        guard value == 1 else { return }
        isInTurn.store(true, ordering: .sequentiallyConsistent)
        while !isCancelled.load(ordering: .sequentiallyConsistent) { yieldThread() }
      }
      let second = source.signal.map { $0 }.observe { if $0 > 0 { late.add($0) } }
      let third = source.signal.observe { if $0 > 0 { late.add($0) } }
      onThreads(2) { thread in
        guard thread == 1 else { return source.value = 1 }
        while !isInTurn.load(ordering: .sequentiallyConsistent) { yieldThread() }
        second.cancel()
        third.cancel()
        isCancelled.store(true, ordering: .sequentiallyConsistent)
      }
      source.value = 2
      #expect(late.values.isEmpty)
      first.cancel()
    }
  }

  @Test func `a node released by another thread within a turn goes away after it`() {
    for _ in 0..<200 {
      let source = Variable(0)
      let isInTurn = Atomic(false)
      let isReleased = Atomic(false)
      let endCount = Atomic(0)
      let callCount = Atomic(0)
      // The transform holds the turn until the other thread has released the node after it.
      let slow = source.signal.map { value in
        guard value == 1 else { return value }
        isInTurn.store(true, ordering: .sequentiallyConsistent)
        while !isReleased.load(ordering: .sequentiallyConsistent) { yieldThread() }
        return value
      }
      let holder = Lock<Signal<Int>?>(nil)
      holder.withLock { [owned = Owned { endCount.add(1, ordering: .relaxed) }] signal in
        signal = slow.map { value in
          callCount.add(1, ordering: .relaxed)
          return withExtendedLifetime(owned) { value }
        }.map { $0 + 1 }
      }
      onThreads(2) { thread in
        guard thread == 1 else { return source.value = 1 }
        while !isInTurn.load(ordering: .sequentiallyConsistent) { yieldThread() }
        let last = holder.withLock { $0.take() }
        withExtendedLifetime(last) {}
        isReleased.store(true, ordering: .sequentiallyConsistent)
      }
      #expect(endCount.load(ordering: .relaxed) == 1)
      let callsInTurn = callCount.load(ordering: .relaxed)
      source.value = 2
      #expect(callCount.load(ordering: .relaxed) == callsInTurn)
      #expect(slow.value == 2)
    }
  }

  @Test func `four threads that write one diamond lose nothing and never tear it`() {
    let source = Variable(0)
    let double = source.signal.map { $0 * 2 }
    let odd = source.signal.map { $0 * 2 + 1 }
    let torn = Recorder<(Int, Int)>()
    let seen = Recorder<Int>()
    let sum = combineLatest(double, odd)
    let subscription = sum.observe {
      if $1 != $0 + 1 { torn.add(($0, $1)) }
      seen.add($0 / 2)
    }
    onThreads(4) { _ in for _ in 0..<5_000 { source.update { $0 += 1 } } }
    #expect(source.value == 20_000)
    #expect(sum.value == (40_000, 40_001))
    #expect(torn.values.isEmpty)
    // Every write is a turn: each value once, in order.
    #expect(seen.values == Array(0...20_000))
    subscription.cancel()
  }

  @Test func `a reader on another thread sees a transaction whole`() {
    let left = Variable(0)
    let right = Variable(0)
    let both = combineLatest(left.signal, right.signal)
    let isOver = Atomic(false)
    let torn = Recorder<(Int, Int)>()
    onThreads(2) { thread in
      if thread == 0 {
        for value in 1...5_000 {
          transaction {
            left.value = value
            right.value = value
          }
        }
        isOver.store(true, ordering: .sequentiallyConsistent)
      } else {
        while !isOver.load(ordering: .sequentiallyConsistent) {
          let pair = both.value
          if pair.0 != pair.1 { torn.add(pair) }
        }
      }
    }
    #expect(torn.values.isEmpty)
    #expect(both.value == (5_000, 5_000))
  }

  @Test func `a million observers that came and went leave nothing behind`() {
    let endCount = Atomic(0)
    let source = Variable(0)
    let derived = source.signal.map { $0 + 1 }
    let signals = [source.signal, derived]
    for round in 1...1_000_000 {
      let subscription = signals[round % 2].observe {
        [owned = Owned { endCount.add(1, ordering: .relaxed) }] _ in
        withExtendedLifetime(owned) {}
      }
      if round % 10_000 == 0 { source.value = round }
      subscription.cancel()
      // What one observer held is gone as soon as it has been cancelled.
      if endCount.load(ordering: .relaxed) != round {
        Issue.record("observer \(round) is still held")
        return
      }
    }
  }
}

/// Tells when it is released.
private final class Owned: Sendable {
  private let end: @Sendable () -> Void
  init(_ end: @escaping @Sendable () -> Void) { self.end = end }
  deinit { end() }
}
