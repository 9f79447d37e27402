import Foundation
import ReunionChangelog
import Testing

@testable import ReunionChangelogPostgres

/// Updates that are killed, and updates at once, each as processes on a real server.
@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"), .serialized)
struct KillTests {
  private static let kills = Cluster.isFull ? 300 : 10
  private static let rounds = Cluster.isFull ? 50 : 2

  /// What came of updates of which each was killed while it had the lock, until one came to its end.
  private struct Killed {
    var kills = 0
    var faults: [String] = []
    /// The longest time for which a dead process's lock stood.
    var longestLock = Duration.zero
  }

  private static func killUntilDone(
    _ update: Update, _ random: inout SystemRandomNumberGenerator
  ) throws -> Killed {
    let database = try PostgresDatabase(url: update.url)
    defer { database.close() }
    var killed = Killed()
    while killed.faults.isEmpty {
      let process = try update.start()
      // Most of the time of a process is its start, and the kill is to hit the work.
      try eventually("the update has the lock, or is over", every: .microseconds(300)) {
        try !process.isRunning || database.lockOwner() != nil
      }
      let delay = Int.random(in: 0...20_000 * (1 + killed.kills / 4), using: &random)
      pause(for: .microseconds(delay), because: "the kill comes at any moment of the work")
      guard process.isRunning else {
        process.waitUntilExit()
        if process.terminationStatus != 0 {
          killed.faults.append("ended with \(process.terminationStatus)")
        }
        return killed
      }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      killed.kills += 1
      // What the server still does for the dead one ends before somebody else has the lock.
      let start = ContinuousClock.now
      try eventually("the lock of the dead update is free", every: .microseconds(500)) {
        try database.takeLock()
      }
      killed.longestLock = max(killed.longestLock, ContinuousClock.now - start)
      killed.faults += try update.halves(database)
      try database.releaseLock()
    }
    return killed
  }

  @Test func `updates that are killed leave no halves and no lock`() throws {
    var random = SystemRandomNumberGenerator()
    for cluster in try Cluster.all {
      var kills = 0
      var updates = 0
      var longestLock = Duration.zero
      while kills < Self.kills {
        let update = try Update(on: cluster)
        defer { update.removeFolder() }
        let killed = try Self.killUntilDone(update, &random)
        kills += killed.kills
        updates += 1
        longestLock = max(longestLock, killed.longestLock)
        let faults = try killed.faults + update.faults()
        #expect(faults.isEmpty, "\(faults)")
      }
      print(
        "faults: \(kills) kills of updates on PostgreSQL \(cluster.version), \(updates) updates whole, "
          + "a dead one's lock stood for \(longestLock) at most")
    }
  }

  @Test func `eight updates at once run each changeset once`() throws {
    for cluster in try Cluster.all {
      for _ in 0..<Self.rounds {
        let update = try Update(on: cluster)
        defer { update.removeFolder() }
        let processes = try (0..<8).map { _ in try update.start() }
        for process in processes {
          process.waitUntilExit()
          #expect(process.terminationStatus == 0)
        }
        #expect(try update.faults() == [])
      }
      print("faults: \(Self.rounds) rounds of 8 updates at once on PostgreSQL \(cluster.version)")
    }
  }

  @Test func `an update that commits each statement is seen to leave halves (negative control)`()
    throws
  {
    var random = SystemRandomNumberGenerator()
    var faults: [String] = []
    for _ in 0..<20 where faults.isEmpty {
      let update = try Update(on: Cluster.fifteen.get(), bug: "half")
      defer { update.removeFolder() }
      faults = try Self.killUntilDone(update, &random).faults
    }
    #expect(!faults.isEmpty)
    print("seeded bugs: half a changeset is caught: \(faults.first ?? "no")")
  }

  @Test(arguments: ["lockless", "forgetful"])
  func `updates at once without one lock, or with an old history, are seen (negative control)`(
    bug: String
  ) throws {
    var isSeen = false
    for _ in 0..<20 where !isSeen {
      let update = try Update(on: Cluster.fifteen.get(), bug: bug)
      defer { update.removeFolder() }
      let processes = try (0..<8).map { _ in try update.start() }
      processes.forEach { $0.waitUntilExit() }
      isSeen = processes.contains { $0.terminationStatus != 0 }
      if !isSeen { isSeen = try !update.faults().isEmpty }
    }
    #expect(isSeen)
    print("seeded bugs: \(bug) is caught: \(isSeen)")
  }
}
