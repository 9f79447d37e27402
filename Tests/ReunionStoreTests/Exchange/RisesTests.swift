import Testing

@testable import ReunionStore

/// What a store notes of where entries rose from.
@Suite struct RisesTests {
  /// One that was forgotten would leave a later rise of the same site to stand for it.
  @Test func `of an arrival before what it remembers it knows nothing`() {
    let rises = Rises()
    rises.note([(site: 1, from: 3)], at: 11, after: 10, space: 1)
    rises.settle()
    #expect(rises.held(at: 10, space: 1) == [1: 3])
    rises.note((2..<5000).map { (site: Int64($0), from: 0) }, at: 12, after: 11, space: 1)
    rises.note([(site: 1, from: 5)], at: 13, after: 12, space: 1)
    rises.settle()
    #expect(rises.held(at: 10, space: 1).isEmpty)
    #expect(rises.held(at: 12, space: 1) == [1: 5])
    #expect(rises.knownFrom(space: 1) == 12)
  }

  @Test func `of a commit that failed it knows nothing, and of other spaces what it knew`() {
    let rises = Rises()
    rises.note([(site: 1, from: 3)], at: 11, after: 10, space: 1)
    rises.note([(site: 1, from: 3)], at: 11, after: 10, space: 2)
    rises.settle()
    rises.note([(site: 1, from: 5)], at: 12, after: 11, space: 1)
    rises.rollBack()
    #expect(rises.knownFrom(space: 1) == nil && rises.held(at: 10, space: 1).isEmpty)
    #expect(rises.held(at: 10, space: 2) == [1: 3])
  }
}
