import Foundation
import ReunionDisk
import ReunionFlow
import Testing

/// What one thread at a time may go through.
@Suite struct WriterGateTests {
  @Test("Who waits for a while is not overtaken by a thread that comes again and again")
  func waitsItsTurn() async {
    let gate = Gate(0)
    let entered = Lock<Int?>(nil)
    let waiter = Thread {
      try? gate.pass { (count: inout Int) throws(StoreError) in entered.withLock { $0 = count } }
    }
    try? gate.pass { (_: inout Int) throws(StoreError) in
      waiter.start()
      while gate.waitingCount == 0 {}
      // Longer than whoever comes may overtake.
      let began = DispatchTime.now().uptimeNanoseconds
      while DispatchTime.now().uptimeNanoseconds - began < 2_000_000 {}
    }
    while entered.withLock({ $0 == nil }) {
      try? gate.pass { (count: inout Int) throws(StoreError) in count += 1 }
    }
    #expect(entered.withLock { $0 } == 0)
  }

  @Test("A thread that comes again from inside is told")
  func nested() {
    let gate = Gate(0)
    #expect(throws: StoreError.self) {
      try gate.pass { (_: inout Int) throws(StoreError) in
        try gate.pass { (_: inout Int) throws(StoreError) in }
      }
    }
  }

  @Test("All pass, one at a time")
  func passes() {
    let gate = Gate(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1_000 { try? gate.pass { (count: inout Int) throws(StoreError) in count += 1 } }
    }
    #expect((try? gate.pass { (count: inout Int) throws(StoreError) in count }) == 8_000)
  }
}
