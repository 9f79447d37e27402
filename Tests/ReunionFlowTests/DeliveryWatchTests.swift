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

  @Test func `an observer that blocks is named by its file and line, once`() {
    let line: UInt = #line + 5
    let said = listening { isSaid, said in
      let signal = Variable(0).signal
      DispatchQueue.global().async {
        // It returns when somebody has complained.
        signal.observe { _ in
          #expect(isSaid.wait(timeout: .now() + 60) == .success)
          Thread.sleep(forTimeInterval: 2.5)
        }.cancel()
      }
      while said.withLock({ $0.isEmpty }) { Thread.sleep(forTimeInterval: 0.01) }
      Thread.sleep(forTimeInterval: 3)
    }
    #expect(said.count == 1)
    #expect(said.first?.contains("ReunionFlowTests/DeliveryWatchTests.swift:\(line) ") == true)
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
