import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// How much the fault tests do: a slice, or all of it where `REUNION_FAULTS=full`.
enum Extent {
  static let isFull = ProcessInfo.processInfo.environment["REUNION_FAULTS"] == "full"

  /// The seed that alone is to be run, where one is named.
  static let seed = ProcessInfo.processInfo.environment["REUNION_SEED"].flatMap { UInt64($0) }

  static func command(_ seed: UInt64, _ filter: String) -> String {
    "repeat: REUNION_SEED=\(seed) swift test --filter \(filter)"
  }
}

/// Power cuts at any write, name or sync of a store, its blobs and its backup (guarantees 5, 7, 10).
@Suite(.onOwnThread) struct PowerCutTests {
  /// Runs a story of a seed, with power cuts at some of its calls.
  ///
  /// - Returns: how many cuts there were; throws the first broken promise.
  static func run(
    seed: UInt64, steps: Int = 40, cuts: Int, chance: Double = 0.04, bugs: SeededBugs = []
  ) throws -> Int {
    let story = Story(seed: seed, bugs: bugs)
    let left = Lock<[Aftermath]>([])
    let luck = SharedRandom(seed: seed &* 31)
    story.disk.observeChanges { call in
      guard luck.draw({ $0.happens(chance) }) else { return }
      let aftermath = Aftermath(story, call: call, on: story.disk.afterPowerCut())
      left.withLock { if $0.count < cuts { $0.append(aftermath) } }
    }
    try story.open()
    for _ in 0..<steps { try story.step() }
    story.disk.observeChanges(nil)
    let all = left.withLock { $0 }
    for aftermath in all { try aftermath.check() }
    return all.count
  }

  @Test func `a power cut at any moment loses nothing that was acknowledged`() {
    let wanted = Extent.isFull ? 5_000 : 300
    var (cuts, seed, stories) = (0, Extent.seed ?? 1, 0)
    while cuts < wanted {
      do {
        cuts += try Self.run(seed: seed, cuts: 20)
      } catch {
        Issue.record("\(error); \(Extent.command(seed, "PowerCutTests"))")
        return
      }
      stories += 1
      if Extent.seed != nil { break }
      seed += 1
    }
    for seed in UInt64(1)...(Extent.isFull ? 10 : 2) where Extent.seed == nil {
      do {
        cuts += try Self.run(seed: seed, steps: 0, cuts: 1_000, chance: 1)
      } catch {
        Issue.record("while it is made: \(error)")
      }
    }
    print("faults: \(cuts) power cuts in \(stories) stories, as many again while opening: 0 lost")
  }
}
