import ReunionFlow
import Testing

@Suite struct OperatorTests {
  @Test func `filter keeps the value before one that it refuses`() {
    let source = Variable(1)
    let even = source.signal.filter(initial: 0) { $0 % 2 == 0 }
    let seen = Recorder<Int>()
    let subscription = even.observe { seen.add($0) }
    for value in [2, 3, 5, 4] { source.value = value }
    #expect(seen.values == [0, 2, 4])
    subscription.cancel()
  }

  @Test func `select changes only when its part does`() {
    struct Person: Sendable { var name = "Ann", age = 1 }
    let person = Variable(Person())
    let seen = Recorder<String>()
    let subscription = person.signal.select(\.name).observe { seen.add($0) }
    person.update { $0.age = 2 }
    person.update { $0.name = "Bob" }
    #expect(seen.values == ["Ann", "Bob"])
    subscription.cancel()
  }

  @Test func `scan folds values and events into a signal`() {
    let source = Variable(1)
    let sum = source.signal.scan(10, +)
    let emitter = Emitter<Int>()
    let total = emitter.occurrences.scan(0, +)
    for value in 2...4 { source.value = value }
    transaction { for value in 1...3 { emitter.send(value) } }
    #expect(sum.value == 20)
    #expect(total.value == 6)
  }

  @Test func `combining keeps values of every size and alignment apart`() {
    struct Odd: Equatable { var small: UInt8 = 7, wide: UInt64 = .max, flag = true }
    let bytes = Variable(UInt8(1))
    let words = Variable(UInt64(2))
    let flags = Variable(true)
    let names = Variable("three, and long enough to be on the heap")
    let odd = Variable(Odd())
    let empty = Variable(())
    let list = Variable<[Int]?>([4])
    let last = Variable(Int16(5))
    let all = combineLatest(
      bytes.signal, words.signal, flags.signal, names.signal, empty.signal, odd.signal,
      list.signal, last.signal)
    for round in 1...3 {
      bytes.value = UInt8(round)
      odd.update { $0.small += 1 }
      last.value = Int16(round)
      list.value = round == 2 ? nil : [round]
      let value = all.value
      #expect(value.0 == UInt8(round) && value.1 == 2 && value.2)
      #expect(value.3 == "three, and long enough to be on the heap")
      #expect(value.5 == Odd(small: 7 + UInt8(round)))
      #expect(value.6 == (round == 2 ? nil : [round]) && value.7 == Int16(round))
    }
    #expect(combineLatest(words.signal).map { $0 + 1 }.value == 3)
  }

  @Test func `a switch follows the newest signal only, and holds the older one no more`() {
    let one = Variable(1)
    let two = Variable(2)
    let chosen = Variable(one.signal)
    let seen = Recorder<Int>()
    let subscription = chosen.signal.switchToLatest().observe { seen.add($0) }
    one.value = 10
    chosen.value = two.signal
    one.value = 11
    two.value = 20
    #expect(seen.values == [1, 10, 2, 20])
    weak var held: Recorder<Int>?
    do {
      let recorder = Recorder<Int>()
      held = recorder
      chosen.value = one.signal.map { $0 + recorder.values.count }
    }
    #expect(held != nil)
    chosen.value = two.signal
    #expect(held == nil)
    subscription.cancel()
  }

  @Test func `a signal that a transform builds is of the turn that switches to it`() {
    let factor = Variable(1)
    let base = Variable(1)
    let product = factor.signal.flatMapLatest { factor in
      combineLatest(base.signal.map { $0 * factor }, base.signal).map { ($0, $1, factor) }
    }
    let seen = Recorder<(Int, Int, Int)>()
    let subscription = product.observe { seen.add($0) }
    for round in 2...50 {
      transaction {
        factor.value = round
        base.value = round * 100
      }
    }
    #expect(seen.values.count == 50)
    #expect(seen.values.allSatisfy { $0.0 == $0.1 * $0.2 })
    #expect(seen.values.dropFirst().allSatisfy { $0.1 == $0.2 * 100 })
    subscription.cancel()
  }

  @Test func `a switch may follow what is further from the sources than itself`() {
    let isFar = Variable(false)
    let base = Variable(1)
    let near = base.signal
    let far = (0..<20).reduce(base.signal) { signal, _ in signal.map { $0 + 1 } }
    let value = isFar.signal.map { $0 ? far : near }.switchToLatest()
    let seen = Recorder<[Int]>()
    let subscription = combineLatest(value, base.signal).observe { seen.add([$0, $1]) }
    transaction {
      isFar.value = true
      base.value = 2
    }
    base.value = 3
    transaction {
      isFar.value = false
      base.value = 4
    }
    #expect(seen.values == [[1, 1], [22, 2], [23, 3], [4, 4]])
    subscription.cancel()
  }

  @Test func `merged events keep the order in which they were sent`() {
    let first = Emitter<Int>()
    let second = Emitter<Int>()
    let merged = merge(first.occurrences, second.occurrences.map { $0 * 10 })
    let seen = Recorder<Int>()
    let subscription = merged.observe { seen.add($0) }
    transaction {
      first.send(1)
      second.send(2)
      first.send(3)
    }
    second.send(4)
    #expect(seen.values == [1, 20, 3, 40])
    subscription.cancel()
  }
}
