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

  @Test func `an observer that blocks is named by its file and line, once`() {
    let line: UInt = #line + 6
    let said = listening { isSaid, said in
      let signal = Variable(0).signal
      let isOver = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        // It returns when somebody has complained.
        signal.observe { _ in
          #expect(isSaid.wait(timeout: .now() + 60) == .success)
          // The timer may have stopped; another delivery starts it again.
          signal.observe { _ in Thread.sleep(forTimeInterval: 2.5) }.cancel()
        }.cancel()
        isOver.signal()
      }
      #expect(isOver.wait(timeout: .now() + 60) == .success)
    }
    let place = "ReunionFlowTests/DeliveryWatchTests.swift:\(line) "
    #expect(said.filter { $0.contains(place) }.count == 1)
  }

  @Test func `observers that return are not named, however often they are called`() {
    let said = listening { _, _ in
      let emitter = Emitter<Int>()
      let watching = emitter.occurrences.observe { _ in Thread.sleep(forTimeInterval: 0.05) }
      for number in 0..<50 { emitter.send(number) }
      watching.cancel()
    }
    #expect(said.isEmpty)
  }
}
