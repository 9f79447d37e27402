import ReunionFlow
import Testing

@Suite struct SignalTests {
  @Test func `a diamond is consistent and delivers once a turn`() {
    let source = Variable(0)
    let double = source.signal.map { $0 * 2 }
    let odd = source.signal.map { $0 * 2 + 1 }
    let seen = Recorder<(Int, Int)>()
    let subscription = combineLatest(double, odd).observe { seen.add($0) }
    for value in 1...1_000 { source.value = value }
    #expect(seen.values.count == 1_001)
    #expect(seen.values.allSatisfy { $0.1 == $0.0 + 1 })
    #expect(seen.values.last?.0 == 2_000)
    subscription.cancel()
  }

  @Test func `a write made while delivering reaches every observer in order`() {
    let source = Variable(0)
    let second = Recorder<Int>()
    let first = source.signal.observe { if $0 == 1 { source.value = 2 } }
    let other = source.signal.observe { second.add($0) }
    source.value = 1
    #expect(second.values == [0, 1, 2])
    first.cancel()
    other.cancel()
  }

  @Test func `four threads that write lose nothing`() {
    let total = Variable(0)
    let sources = (0..<4).map { _ in Variable(0) }
    let seen = Recorder<Int>()
    let torn = Recorder<(Int, Int)>()
    let pairs = combineLatest(total.signal.map { $0 }, total.signal.map { -$0 })
    let subscriptions =
      sources.map { source in source.signal.observe { if $0 > 0 { seen.add($0) } } }
      + [pairs.observe { if $0.0 != -$0.1 { torn.add($0) } }]
    onThreads(4) { thread in
      for value in 1...10_000 {
        sources[thread].value = value
        total.update { $0 += 1 }
      }
    }
    #expect(total.value == 40_000)
    #expect(pairs.value == (40_000, -40_000))
    #expect(seen.values.count == 40_000)
    #expect(torn.values.isEmpty)
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `every value set by four threads on one variable is delivered`() {
    let source = Variable(-1)
    let seen = Recorder<Int>()
    let subscription = source.signal.map { $0 }.observe { seen.add($0) }
    onThreads(4) { thread in
      for value in 0..<10_000 { source.value = thread * 10_000 + value }
    }
    #expect(seen.values.dropFirst().sorted() == Array(0..<40_000))
    #expect(seen.values.last == source.value)
    for thread in 0..<4 {
      let own = seen.values.filter { $0 >= 0 && $0 / 10_000 == thread }
      #expect(own == own.sorted())
    }
    subscription.cancel()
  }

  @Test func `a transaction publishes all its writes in one turn`() {
    let name = Variable("Ann")
    let age = Variable(1)
    let seen = Recorder<String>()
    let subscription = combineLatest(name.signal, age.signal).observe { seen.add("\($0) \($1)") }
    transaction {
      name.value = "Bob"
      age.value = 2
      age.update { $0 += 1 }
      #expect(age.value == 3)
      #expect(age.signal.value == 1)
    }
    #expect(seen.values == ["Ann 1", "Bob 3"])
    subscription.cancel()
  }

  @Test func `transactions of four threads keep two variables equal and lose nothing`() {
    let left = Variable(0)
    let right = Variable(0)
    let torn = Recorder<(Int, Int)>()
    let subscription = combineLatest(left.signal, right.signal).observe {
      if $0 != $1 { torn.add(($0, $1)) }
    }
    onThreads(4) { _ in
      for _ in 0..<2_000 {
        transaction {
          left.update { $0 += 1 }
          right.update { $0 += 1 }
        }
      }
    }
    #expect(left.value == 8_000)
    #expect(right.value == 8_000)
    #expect(torn.values.isEmpty)
    subscription.cancel()
  }

  @Test func `signals that are combined from several threads in turns of their own agree`() {
    let sources = (0..<4).map { Variable($0) }
    let wrong = Recorder<Int>()
    onThreads(4) { thread in
      for round in 1...200 {
        let next = sources[(thread + round) % 4]
        let sum = combineLatest(sources[thread].signal, next.signal).map { $0 + $1 }
        let twice = combineLatest(sum, sum.map { -$0 }).observe {
          if $0 + $1 != 0 { wrong.add($0) }
        }
        sources[thread].value = round
        twice.cancel()
      }
    }
    #expect(wrong.values.isEmpty)
    #expect(sources.allSatisfy { $0.signal.value == 200 })
  }

  @Test func `an observer hears nothing after its subscription is released`() {
    let source = Variable(0)
    let seen = Recorder<Int>()
    var subscription: SignalSubscription? = source.signal.observe { seen.add($0) }
    #expect(subscription?.isCancelled == false)
    source.value = 1
    subscription = nil
    source.value = 2
    #expect(seen.values == [0, 1])
  }

  @Test func `a released subscription releases its closure and the derived signal`() {
    let source = Variable(0)
    weak var held: Recorder<Int>?
    do {
      let recorder = Recorder<Int>()
      held = recorder
      let subscription = source.signal.map { $0 + recorder.values.count }
        .observe { recorder.add($0) }
      source.value = 1
      subscription.cancel()
    }
    #expect(held == nil)
  }

  @Test func `an observer that cancels another in the same turn silences it`() {
    let source = Variable(0)
    let seen = Recorder<Int>()
    let bag = DisposeBag()
    source.signal.observe { if $0 == 1 { bag.cancelAll() } }.store(in: bag)
    let first = bag.count
    source.signal.observe { seen.add($0) }.store(in: bag)
    source.value = 1
    source.value = 2
    #expect(first == 1)
    #expect(seen.values == [0])
    #expect(bag.count == 0)
  }

  @Test func `subscribing and cancelling during turns of another thread is safe`() {
    let source = Variable(0)
    let derived = source.signal.map { $0 + 1 }
    onThreads(3) { thread in
      for value in 0..<2_000 {
        if thread == 0 {
          source.value = value
        } else {
          derived.map { $0 * 2 }.distinct().observe { _ in }.cancel()
        }
      }
    }
    #expect(derived.value == 2_000)
  }

  @Test func `distinct drops equal values and what depends on them stays still`() {
    let source = Variable(0)
    let seen = Recorder<Int>()
    let subscription = source.signal.map { $0 / 10 }.distinct().map { $0 * 100 }
      .observe { seen.add($0) }
    for value in 1...25 { source.value = value }
    #expect(seen.values == [0, 100, 200])
    subscription.cancel()
  }

  @Test func `a dispose bag drops members that were cancelled`() {
    let bag = DisposeBag()
    for _ in 0..<1_000 {
      let subscription = SignalSubscription {}
      subscription.store(in: bag)
      subscription.cancel()
    }
    #expect(bag.count <= 16)
  }

  @Test func `occurrences come one by one, filtered, even from one transaction`() {
    let emitter = Emitter<Int>()
    let seen = Recorder<Int>()
    let subscription = emitter.occurrences.filter { $0 % 2 == 0 }.map { $0 * 10 }
      .observe { seen.add($0) }
    transaction { for event in 1...4 { emitter.send(event) } }
    emitter.send(4)
    #expect(seen.values == [20, 40, 40])
    subscription.cancel()
  }

  @Test func `values gives a slow reader the newest one`() async {
    let source = Variable(0)
    var iterator = source.signal.values().makeAsyncIterator()
    #expect(await iterator.next() == 0)
    for value in 1...100 { source.value = value }
    #expect(await iterator.next() == 100)
  }
}
