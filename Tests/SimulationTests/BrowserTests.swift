import Foundation
import NodeBrowsers
import ReunionTesting
import TestThreads
import Testing

/// Guarantees 1 to 3, 5 to 8, 11, 13 and 16 over histories in which browsers take part: pages of the
/// library in node, in lockstep with the world. The pages are leaves (docs/protocol.md 2.3, 2.8). Without
/// node, or before `make .build/web/.made`, they are skipped.
@Suite(.onOwnThread, .enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct BrowserTests {
  /// How many histories there are, half of them on each of the two cores.
  static let count =
    ProcessInfo.processInfo.environment["REUNION_BROWSER_HISTORIES"].flatMap { UInt64($0) } ?? 60

  @Test func `every history with browsers keeps every promise`() throws {
    let pipe = try NodeBrowsers()
    var (counts, writeCount): ([BrowserSimulation.Core: Int], Int) = ([:], 0)
    var failure: String?
    for seed in Extent.first..<Extent.first + Self.count where failure == nil {
      let simulation = BrowserSimulation(seed: seed, pipe: pipe)
      let history = simulation.history(seed: seed)
      do {
        writeCount += try simulation.run(history).browserWriteCount
        counts[simulation.core, default: 0] += 1
      } catch {
        failure = simulation.failure(history, "\(error)")
      }
    }
    if let failure { Issue.record("\(failure)") }
    let (apps, whole) = (counts[.apps] ?? 0, counts[.whole] ?? 0)
    print(
      "browsers: \(apps + whole) histories (\(apps) on the shipped core, \(whole) on the whole one), "
        + "\(writeCount) writes, \(failure == nil ? 0 : 1) broken promises")
    #expect(UInt64(apps + whole) == Self.count)
  }

  @Test func `pages that take blocks, cut and damaged ones too, keep every promise`() throws {
    let pipe = try NodeBrowsers()
    for seed in Extent.first..<Extent.first + Self.count / 3 {
      var simulation = BrowserSimulation(seed: seed, pipe: pipe)
      simulation.sendsBlocks = true
      let history = simulation.history(seed: seed)
      do {
        _ = try simulation.run(history)
      } catch {
        Issue.record("with blocks: \(simulation.failure(history, "\(error)"))")
        break
      }
    }
  }

  /// Histories that once broke a promise, each with the steps that it took. As the world thought,
  /// somebody showed half of what a page had written: it had let the rest go with what covered it
  /// (guarantee 7).
  static let failed: [(UInt64, String)] = [
    (921_202_827, "7,14,16-18,21,27,30"),  // a replica
    (893_282_300, "0-4,16,20-22,26,29-30,32-34"),  // another browser
    // As the world thought, a profile that was put back had to keep what its server gave it again.
    (477_168_617, "3,6-7,28,30,32"),
    // A page that issued two deletes of a record anew kept both, where others keep the last (guarantee 1).
    (649_279_726, "0-4,6-20,27"),
    // What an earlier session of a page still brought was taken after what a later one had sent (guarantee 1).
    (661_000_489, "2-3,8-9,11,18,20,24"),
    // And a page forgot what it had made and deleted, of which an earlier session had sent a part (guarantee 3).
    (661_000_192, "1-2,4,8-11,25,29"),
    // As the world thought, a page held what nobody wrote: another had issued it anew.
    (663_004_036, "0,2-3,5-6,8-9,11,15"),
  ]

  @Test(arguments: failed) func `a history with browsers that once broke a promise keeps it`(
    seed: UInt64, steps: String
  ) throws {
    let simulation = BrowserSimulation(seed: seed, pipe: try NodeBrowsers())
    let history = simulation.history(seed: seed)
    let numbers = try #require(History.numbers(steps))
    _ = try simulation.run(history.keeping(numbers))
    _ = try simulation.run(history)
  }

  @Test func `one seed gives one story, message by message, in every process`() throws {
    for seed in [12, 13] as [UInt64] {
      let outcomes = try (0..<2).map { _ in
        let simulation = BrowserSimulation(seed: seed, pipe: try NodeBrowsers())
        return try simulation.run(simulation.history(seed: seed))
      }
      #expect(outcomes[0] == outcomes[1], "seed \(seed)")
    }
  }

  /// Bugs of `Tests/World/bugs.mjs`, each with the seed at which it is known to show.
  static let bugs: [(name: String, seed: UInt64)] = [
    ("a commit is not pushed while connected", 1),
    ("a delete is ignored", 1),
    ("a push is acknowledged and its records are not kept", 1),
    ("what the server has acknowledged is believed to be all", 1),
    ("seqs begin anew with each action", 1),
    ("an opening tab hears nothing of the others", 2),
    ("what was refused stays", 2),
    ("of its own a page lets go what nobody wrote over", 18),
    ("two tabs that open make two sites", 4),
    ("what the server has lost stays", 7),
    ("a server that went back is believed to hold what it once had", 427),
  ]

  @Test func `the world catches seeded bugs of the page's library (negative control)`() throws {
    let pipe = try NodeBrowsers()
    var caught = 0
    for (bug, first) in Self.bugs {
      // Where the histories have changed since, one soon after it.
      for seed in first..<first + 20 {
        var simulation = BrowserSimulation(seed: seed, pipe: pipe)
        let history = simulation.history(seed: seed)
        simulation.bug = bug
        guard let error = Self.error({ try simulation.run(history) }) else { continue }
        // The same history without the bug breaks nothing.
        simulation.bug = nil
        guard Self.error({ try simulation.run(history) }) == nil else { continue }
        caught += 1
        print("caught “\(bug)” at seed \(seed): \(error)")
        break
      }
    }
    print("seeded bugs of the page, in the world: caught \(caught) / \(Self.bugs.count)")
    #expect(caught == Self.bugs.count)
  }

  @Test func `a page that leaves out a damaged part of a block is found (negative control)`() throws
  {
    let pipe = try NodeBrowsers()
    let isFound = (1...40 as ClosedRange<UInt64>).contains { seed in
      var simulation = BrowserSimulation(seed: seed, pipe: pipe)
      simulation.sendsBlocks = true
      simulation.bug = "a damaged part of a block is left out"
      return Self.error({ try simulation.run(simulation.history(seed: seed)) }) != nil
    }
    #expect(isFound)
  }

  static func error(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return "\(error)"
    }
  }
}
