import Dispatch
import Observation
import ReunionFlow
import Testing

@Suite struct DeliveryTests {
  @Test @MainActor func `on the main thread an observer is called within the turn`() {
    let source = Variable(0)
    let seen = Recorder<Int>()
    let subscription = source.signal.observe(on: .shared) { seen.add($0) }
    source.value = 1
    #expect(seen.values == [0, 1])
    subscription.cancel()
    source.value = 2
    #expect(seen.values == [0, 1])
  }

  @Test @MainActor func `from other threads the main thread gets the newest value, in order`() async
  {
    let source = Variable(0)
    let seen = Recorder<Int>()
    let (done, end) = AsyncStream<Void>.makeStream()
    let subscription = source.signal.observe(on: .shared) { value in
      MainActor.assertIsolated()
      seen.add(value)
      if value == 1_000 { end.finish() }
    }
    DispatchQueue.global().async {
      for value in 1...1_000 { source.value = value }
    }
    for await _ in done {}
    #expect(seen.values.first == 0 && seen.values.last == 1_000)
    #expect(seen.values == Set(seen.values).sorted())
    subscription.cancel()
  }

  @Test @MainActor func `a write from an observer on the main thread comes after the call`() async {
    let source = Variable(0)
    let log = Recorder<String>()
    let (done, end) = AsyncStream<Void>.makeStream()
    let subscription = source.signal.observe(on: .shared) { value in
      log.add("begin \(value)")
      if value == 1 { source.value = 2 }
      log.add("end \(value)")
      if value == 2 { end.finish() }
    }
    DispatchQueue.global().async { source.value = 1 }
    for await _ in done {}
    #expect(
      log.values == ["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"])
    subscription.cancel()
  }

  @Test func `values keep as many as the buffer holds, the newest ones`() async {
    let source = Variable(0)
    var iterator = source.signal.values(bufferMax: 3).makeAsyncIterator()
    for value in 1...10 { source.value = value }
    for expected in 8...10 { #expect(await iterator.next() == expected) }
  }

  @Test func `events that find the buffer full end the sequence, and none is lost before`()
    async throws
  {
    let emitter = Emitter<Int>()
    let events = emitter.occurrences.values(bufferMax: 3)
    var iterator = events.makeAsyncIterator()
    for event in 1...10 { emitter.send(event) }
    for expected in 1...3 { #expect(try await iterator.next() == expected) }
    await #expect(throws: BufferOverflow.self) { _ = try await iterator.next() }
  }

  @Test @MainActor func `an observed signal tells observation of each change`() {
    let source = Variable(1)
    let observed = Observed(source.signal)
    let changes = Recorder<Int>()
    func track() {
      let value = withObservationTracking({ observed.value }, onChange: { changes.add(1) })
      #expect(value == source.value)
    }
    track()
    #expect(changes.values.isEmpty)
    source.value = 2
    #expect(changes.values.count == 1)
    track()
    source.value = 3
    #expect(changes.values.count == 2)
    #expect(observed.value == 3)
  }

  @Test @MainActor func `a signal follows what it reads from observable objects`() async {
    let model = Model()
    var signal: Signal<Int>? = Signal(tracking: { model.left + model.right })
    guard let values = signal?.values(bufferMax: 8) else { return }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    model.left = 1
    model.right = 10
    #expect(await iterator.next() == 11)
    model.right = 20
    #expect(await iterator.next() == 21)
    #expect(signal?.value == 21)
    signal = nil
  }
}

@MainActor @Observable private final class Model {
  var left = 0
  var right = 0
}
