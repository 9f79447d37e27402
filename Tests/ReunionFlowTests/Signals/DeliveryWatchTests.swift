import Foundation
import Testing

@testable import ReunionFlow

/// An observer that blocks is named, and one that returns is not.
@Suite(.serialized) struct DeliveryWatchTests {
  /// What is said while a closure runs, as it is said.
  private func listening(_ body: (DispatchSemaphore, Lock<[String]>) -> Void) -> [String] {
    let said = Lock<[String]>([])
    let isSaid = DispatchSemaphore(value: 0)
    let before = DeliveryWatch.report.withLock { report in
      let before = report
      report = { sentence in
        // Other tests of this process may be slow.
        guard sentence.contains("DeliveryWatchTests") else { return }
        said.withLock { $0.append(sentence) }
        isSaid.signal()
      }
      return before
    }
    defer { DeliveryWatch.report.withLock { $0 = before } }
    body(isSaid, said)
    return said.withLock { $0 }
  }

  @Test func `what stands still between two looks blocks, and is named once`() {
    var look = DeliveryLook(counts: [0, 4, 7])
    // A delivery has begun at the first place, and the one at the third stands still.
    #expect(look.next([1, 4, 7]) == ([2], false))
    // Both stand still; a delivery that is named needs no further look.
    #expect(look.next([1, 4, 7]) == ([0], true))
    // The third has ended, and another has taken its place, which is no longer known to block.
    #expect(look.next([1, 4, 9]) == ([], false))
    #expect(look.next([1, 4, 9]) == ([2], true))
    #expect(look.next([2, 4, 10]) == ([], false))
    #expect(look.next([2, 4, 10]) == ([], true))
  }

  /// Blocks in a delivery until a signal is given.
  private func block(until isGiven: DispatchSemaphore) {
    Variable(0).signal.observe { _ in
      #expect(isGiven.wait(timeout: .now() + 60) == .success)
    }.cancel()
  }

  @Test func `an observer that blocks is named by its file and line, once`() {
    let line: UInt = #line + 4
    let said = listening { isSaid, _ in
      let (mayEnd, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      DispatchQueue.global().async {
        Variable(0).signal.observe { _ in
          #expect(mayEnd.wait(timeout: .now() + 60) == .success)
        }.cancel()
        isOver.signal()
      }
      #expect(isSaid.wait(timeout: .now() + 60) == .success)
      // The timer may have stopped by now. Another delivery starts it again, and is named in its turn.
      block(until: isSaid)
      mayEnd.signal()
      isOver.wait()
    }
    let place = "ReunionFlowTests/DeliveryWatchTests.swift:\(line) "
    #expect(said.filter { $0.contains(place) }.count == 1)
    #expect(said.count == 2)
  }

  @Test func `observers that return are not named, however often they are called`() {
    let said = listening { isSaid, _ in
      // It blocks until it is named, for which the timer has to look twice.
      let isOver = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        block(until: isSaid)
        isOver.signal()
      }
      let emitter = Emitter<Int>()
      let watching = emitter.occurrences.observe { _ in }
      while isOver.wait(timeout: .now()) == .timedOut { emitter.send(0) }
      watching.cancel()
    }
    #expect(said.count == 1)
  }
}
