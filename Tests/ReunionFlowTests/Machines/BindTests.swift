import ReunionFlow
import Testing

@Suite struct BindTests {
  @Test func `a bound variable follows until the subscription is cancelled`() {
    let source = Variable(1)
    let target = Variable(0)
    let binding = source.signal.map { $0 * 10 }.bind(to: target)
    #expect(target.value == 10)
    source.value = 2
    #expect(target.value == 20)
    binding.cancel()
    source.value = 3
    #expect(target.value == 20)
  }

  @Test @MainActor func `a bound property follows on the main thread and is not held`() {
    let source = Variable("Ann")
    var label: Label? = Label()
    weak let held = label
    guard let binding = label.map({ source.signal.bind(to: $0, \.text) }) else { return }
    source.value = "Bob"
    #expect(label?.text == "Bob")
    label = nil
    #expect(held == nil)
    source.value = "Cy"
    binding.cancel()
  }

  // A derived signal is made after its sources, so it cannot be one of them; what can close a
  // circle is a binding, or a signal that is switched to later. Both are refused.

  @Test func `binding a variable to what follows from it ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let source = Variable(0)
      let next = source.signal.map { $0 + 1 }
      let binding = next.bind(to: source)
      binding.cancel()
    }
  }

  @Test func `a circle of two bindings ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let left = Variable(0)
      let right = Variable(0)
      let there = left.signal.bind(to: right)
      let back = right.signal.bind(to: left)
      there.cancel()
      back.cancel()
    }
  }

  @Test func `a binding through a debounce is a circle as well`() async {
    await #expect(processExitsWith: .failure) {
      let source = Variable(0)
      let late = source.signal.debounce(for: .seconds(1), clock: TestClock())
      let binding = late.bind(to: source)
      binding.cancel()
    }
  }

  @Test func `switching to a signal that follows from the result ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let chosen = Variable(Variable(0).signal)
      let value = chosen.signal.switchToLatest()
      chosen.value = value.map { $0 + 1 }
    }
  }

  @Test func `without the circle the same graphs work (negative control)`() async {
    await #expect(processExitsWith: .success) {
      let left = Variable(0)
      let right = Variable(0)
      let there = left.signal.map { $0 + 1 }.bind(to: right)
      let chosen = Variable(left.signal)
      let value = chosen.signal.switchToLatest()
      chosen.value = right.signal.map { $0 + 1 }
      left.value = 5
      precondition(value.value == 7)
      there.cancel()
      // What was bound the other way round is no circle any more.
      right.signal.bind(to: left).cancel()
    }
  }
}

@MainActor private final class Label {
  var text = ""
}
