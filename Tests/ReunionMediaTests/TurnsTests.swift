import Foundation
import TestThreads
import Testing

@testable import ReunionMedia

@Suite struct TurnsTests {
  @Test func `who has a thousand pictures waiting makes another wait for one`() {
    var turns = Turns<String>()
    let taken = (0..<1000).map { turns.add("A\($0)", of: 1) }
    #expect(taken == [Bool](repeating: true, count: 1000))
    // The first of them is under way when somebody else comes.
    let first = turns.next()
    _ = turns.add("B0", of: 2)
    let then = [turns.next(), turns.next()]
    #expect(first == "A0" && then == ["B0", "A1"])
    // B goes on with more, C comes: each waits for one of each other.
    for work in ["B1", "B2"] { _ = turns.add(work, of: 2) }
    _ = turns.add("C0", of: 3)
    let next = (0..<6).map { _ in turns.next() ?? "" }
    #expect(next == ["B1", "C0", "A2", "B2", "A3", "A4"])
  }

  @Test func `keeps everybody's order, loses nothing, and is fair in every history`() {
    var random = Seeded(seed: 12)
    for _ in 0..<200 {
      var turns = Turns<(person: UInt64, number: Int)>(waitingMax: 20)
      var added: [UInt64: Int] = [:]
      var done: [UInt64: Int] = [:]
      // For each who waits, how many pieces of each other were begun since.
      var begunSince: [UInt64: [UInt64: Int]] = [:]
      for _ in 0..<300 {
        if Bool.random(using: &random) {
          let person = UInt64.random(in: 1...4, using: &random)
          let number = added[person, default: 0]
          let hadNone = number == done[person, default: 0]
          let isTaken = turns.add((person, number), of: person)
          #expect(isTaken == (number - done[person, default: 0] < 20))
          if isTaken { added[person] = number + 1 }
          if hadNone { begunSince[person] = [:] }
        } else if let work = turns.next() {
          #expect(work.number == done[work.person, default: 0])
          done[work.person] = work.number + 1
          begunSince[work.person] =
            work.number + 1 < added[work.person, default: 0] ? [:] : nil
          for waiting in begunSince.keys where waiting != work.person {
            begunSince[waiting]?[work.person, default: 0] += 1
            #expect(begunSince[waiting]?[work.person] == 1)
          }
        } else {
          #expect(added.allSatisfy { $0.value == done[$0.key] })
        }
      }
    }
  }

  // Who waits for a picture must hear of it before a thousand others are done, however busy the pool is.
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
    while !renderer.state.isBusy { await Task.yield() }
    let others = (0..<1_000).map { _ in
      Task { try await renderer.render(path, longEdges: [32], by: 1) }
    }
    while renderer.state.waiting < 1_000 { await Task.yield() }
    async let waiting = {
      _ = try await renderer.render(path, longEdges: [32], by: 2)
      return renderer.state.waiting
    }()
    let error = await #expect(throws: ImageError.self) {
      try await renderer.render(path, longEdges: [32], by: 1)
    }
    #expect(error?.code == .tooManyWaiting)
    while renderer.state.waiting < 1_001 { await Task.yield() }
    kill(worker, SIGCONT)
    // In the order of the calls it would have been the last.
    #expect(try await waiting > 0)
    for other in others + [underWay] { _ = try await other.value }
    #expect(renderer.state.waiting == 0)
  }
}
