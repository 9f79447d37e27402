import Foundation
import TestThreads
import Testing
import Waiting

@testable import ReunionMedia

@Suite struct FairShareQueueTests {
  /// The next piece, once the one before it has ended after a while.
  private func next<Work>(_ turns: inout FairShareQueue<Work>, after took: UInt64 = 10) -> Work? {
    turns.end(took: took, at: 0)
    return turns.next()
  }

  @Test func `who has a thousand pictures waiting makes another wait for one`() {
    var turns = FairShareQueue<String>()
    let taken = (0..<1000).map { turns.add("A\($0)", of: 1, at: 0) }
    #expect(taken == [Bool](repeating: true, count: 1000))
    // The first of them is under way when somebody else comes.
    let first = turns.next()
    _ = turns.add("B0", of: 2, at: 0)
    let then = [next(&turns), next(&turns)]
    #expect(first == "A0" && then == ["B0", "A1"])
    // B goes on with more, C comes: each waits for one of each other.
    for work in ["B1", "B2"] { _ = turns.add(work, of: 2, at: 0) }
    _ = turns.add("C0", of: 3, at: 0)
    let later = (0..<6).map { _ in next(&turns) ?? "" }
    #expect(later == ["B1", "C0", "A2", "B2", "A3", "A4"])
  }

  /// Twelve people whose pictures take four seconds each, and one whose ten take a hundredth: who was served
  /// until the ten were done. `charged` is what of each piece is charged.
  private func served(charged: (UInt64) -> UInt64) -> [UInt64] {
    var turns = FairShareQueue<(person: UInt64, took: UInt64)>()
    for person in 1...12 as ClosedRange<UInt64> {
      for _ in 0..<50 { _ = turns.add((person, 4_000), of: person, at: 0) }
    }
    for _ in 0..<10 { _ = turns.add((99, 10), of: 99, at: 0) }
    var served: [UInt64] = []
    while served.count(where: { $0 == 99 }) < 10, let work = turns.next() {
      served.append(work.person)
      turns.end(took: charged(work.took), at: 0)
    }
    return served
  }

  @Test func `small pictures wait for no second large one of anybody`() {
    #expect(served { $0 } == Array(1...12) + [UInt64](repeating: 99, count: 10))
    // Where all pieces count as much, each of the ten waits for one of everybody.
    #expect(served { _ in 10 }.count == 130)
  }

  @Test func `who was away has saved nothing up, and quiet time pays what is owed`() {
    var turns = FairShareQueue<String>()
    _ = turns.add("A0", of: 1, at: 0)
    _ = turns.next()
    for work in ["A1", "A2"] { _ = turns.add(work, of: 1, at: 0) }
    #expect(next(&turns, after: 1_000) == "A1")
    // As if B had used as much as A had then, and not nothing.
    for work in ["B0", "B1", "B2"] { _ = turns.add(work, of: 2, at: 0) }
    #expect(next(&turns, after: 10) == "B0" && next(&turns, after: 20) == "A2")
    #expect(next(&turns, after: 500) == "B1" && next(&turns) == "B2" && next(&turns) == nil)
    // A owes nearly 500 still, and all is forgotten after as long.
    #expect(turns.peopleCount == 2)
    _ = turns.add("A3", of: 1, at: 10_000)
    _ = turns.add("C0", of: 3, at: 10_000)
    #expect(turns.next() == "A3" && next(&turns) == "C0")
    turns.end(took: 0, at: 10_000)
  }

  @Test func `keeps everybody's order, loses nothing, and is fair in every history`() {
    var random = Seeded(seed: 12)
    for _ in 0..<200 {
      var turns = FairShareQueue<(person: UInt64, number: Int)>(waitingMax: 20)
      var added: [UInt64: Int] = [:]
      var done: [UInt64: Int] = [:]
      // What each has used since somebody began to wait, and had owed by then, to compare.
      var used: [UInt64: UInt64] = [:]
      var waitingSince: [UInt64: [UInt64: UInt64]] = [:]
      let longest: UInt64 = 100
      func waits(_ person: UInt64) -> Bool {
        done[person, default: 0] < added[person, default: 0]
      }
      for _ in 0..<300 {
        if Bool.random(using: &random) {
          let person = UInt64.random(in: 1...4, using: &random)
          let number = added[person, default: 0]
          let hadNone = !waits(person)
          let isTaken = turns.add((person, number), of: person, at: 0)
          #expect(isTaken == (number - done[person, default: 0] < 20))
          if isTaken { added[person] = number + 1 }
          if hadNone { waitingSince[person] = used }
        } else if let work = turns.next() {
          #expect(work.number == done[work.person, default: 0])
          done[work.person] = work.number + 1
          let took = UInt64.random(in: 0...longest, using: &random)
          used[work.person, default: 0] += took
          turns.end(took: took, at: 0)
          if !waits(work.person) { waitingSince[work.person] = nil }
          // Of two who both wait all the while neither gets more than a piece or two ahead.
          for (one, before) in waitingSince {
            for (other, since) in waitingSince where since == before && one != other {
              let mine = used[one, default: 0] - before[one, default: 0]
              let theirs = used[other, default: 0] - since[other, default: 0]
              #expect(max(mine, theirs) - min(mine, theirs) <= 2 * longest)
            }
          }
        } else {
          #expect(added.allSatisfy { $0.value == done[$0.key] })
        }
      }
    }
  }

  // Somebody who waits for a picture must hear of it before a thousand others are done, however
  // busy the pool is.
  @Test(.onOwnThread) func `a picture passes a thousand of somebody else's`() async throws {
    let studio = try Studio()
    let path = try studio.file("good.jpg", Picture.quadrants(".jpg"))
    var limits = ImageLimits.patient
    limits.waitingMax = 1_000
    let renderer = studio.renderer(limits)
    _ = try await renderer.render(path, longEdges: [32])
    let worker = try #require(renderer.state.identifier)
    kill(worker, SIGSTOP)
    let underWay = Task { try await renderer.render(path, longEdges: [32], by: 1) }
    try await eventually("the worker has a picture") { renderer.state.isBusy }
    let others = (0..<1_000).map { _ in
      Task { try await renderer.render(path, longEdges: [32], by: 1) }
    }
    try await eventually("a thousand pictures wait") { renderer.state.waiting >= 1_000 }
    async let waiting = {
      _ = try await renderer.render(path, longEdges: [32], by: 2)
      return renderer.state.waiting
    }()
    let error = await #expect(throws: ImageError.self) {
      try await renderer.render(path, longEdges: [32], by: 1)
    }
    #expect(error?.code == .tooManyWaiting)
    try await eventually("one more waits") { renderer.state.waiting >= 1_001 }
    kill(worker, SIGCONT)
    // In the order of the calls it would have been the last.
    #expect(try await waiting > 0)
    for other in others + [underWay] { _ = try await other.value }
    #expect(renderer.state.waiting == 0)
  }
}
