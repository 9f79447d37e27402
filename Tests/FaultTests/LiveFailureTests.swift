import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// A live query shows the last commit, or tells why not (guarantee 14): an error of the disk at any
/// call of a commit and of what reads it afterwards.
@Suite(.onOwnThread) struct LiveFailureTests {
  /// What a run with one failing call came to.
  enum Outcome {
    case refused, shown, told
    /// The values are old and nobody was told.
    case silent
  }

  /// A store with three live queries, and what their observers were told last.
  private final class Watch: Sendable {
    let disk = SimulatedDisk(seed: 1)
    let store: Store
    let sum: Signal<QueryAnswer<Int>>
    let plain: Signal<[Doc]>
    let told = Lock<[QueryUpdate<Doc>]>([])
    private let subscription = Lock<[SignalSubscription]>([])

    init(bugs: SeededBugs) throws {
      let options = Story.options(disk, seed: 1, bugs: bugs)
      store = try Store.open(folder: Story.folder, model: model, options: options)
      try store.write(in: space) { try $0.create(Doc.self) { $0.number = 1 } }
      let docs = try store.liveResult(of: Query<Doc>(in: space).sorted(by: \.number))
      sum = try store.liveResult(of: Query<Doc>(in: space).sum(of: \.number))
      plain = try store.live(Query<Doc>(in: space).filter(\.number > 0))
      let observation = docs.observeChanges { [told] update in
        told.withLock { $0.append(update) }
      }
      subscription.withLock { $0.append(observation) }
    }

    var isUpToDate: Bool {
      guard let last = told.withLock({ $0.last }) else { return false }
      return last.result.map(\.number) == [1, 2] && sum.value.value == 3 && plain.value.count == 2
    }

    var isTold: Bool {
      let last = told.withLock { $0.last?.result.failure }
      return (last != nil || sum.value.failure != nil) && store.liveFailure.value != nil
    }
  }

  /// Fails one call of a write and of what follows it.
  private static func run(_ call: Int, bugs: SeededBugs = []) throws -> Outcome {
    let watch = try Watch(bugs: bugs)
    let (store, disk) = (watch.store, watch.disk)
    disk.faults.failingCalls = disk.callCount + call..<disk.callCount + call + 1
    do {
      try store.write(in: space) { try $0.create(Doc.self) { $0.number = 2 } }
    } catch is StoreError {
      return .refused
    }
    disk.faults = DiskFaults()
    if watch.isUpToDate {
      #expect(store.liveFailure.value == nil && watch.sum.value.failure == nil)
      return .shown
    }
    guard watch.isTold else { return .silent }
    // The next commit of anything brings everything up to date.
    try store.write(in: SpaceID(high: 1, low: 1)) { try $0.create(Doc.self) { _ in } }
    #expect(watch.isUpToDate)
    #expect(watch.told.withLock { $0.last?.result.failure } == nil)
    #expect(watch.sum.value.failure == nil && store.liveFailure.value == nil)
    return .told
  }

  /// How many calls a write and what follows it take.
  private static func callCount() throws -> Int {
    let watch = try Watch(bugs: [])
    let before = watch.disk.callCount
    try watch.store.write(in: space) { try $0.create(Doc.self) { $0.number = 2 } }
    #expect(watch.isUpToDate)
    return watch.disk.callCount - before
  }

  @Test func `a later error of a live query reaches its observer, and the next commit mends it`()
    throws
  {
    var counts: [Outcome: Int] = [:]
    for call in 1...(try Self.callCount()) { counts[try Self.run(call), default: 0] += 1 }
    print("live failures: \(counts)")
    #expect(counts[.silent] == nil)
    #expect(counts[.told] != nil && counts[.refused] != nil)
  }

  @Test func `an error that is told to nobody is caught (negative control)`() throws {
    var silent = 0
    for call in 1...(try Self.callCount())
    where try Self.run(call, bugs: [.liveFailureDropped]) == .silent {
      silent += 1
    }
    #expect(silent > 0)
  }
}
