import ReunionCore
import ReunionFlow

/// From where the entries of spaces' vectors rose lately, so that it is known what was held of each site at
/// an earlier arrival: a peer that comes back names by its position what it holds.
///
/// It is kept in memory: a store that was opened since knows nothing of the rises before, and a peer that
/// missed some of those names all that it holds. *Thread*: any. *Limits*: 4,096 rises a space.
final class Rises: Sendable {
  private struct Rise {
    let arrival: UInt64
    let site: Int64
    let from: UInt64
  }

  /// The rises of a space, all of them after `knownFrom`, the oldest first.
  private struct Line {
    var knownFrom: UInt64
    var rises: [Rise] = []
  }

  /// What is known, and of which spaces notes are of a commit that is under way.
  private struct State {
    var lines: [Int64: Line] = [:]
    var unsettled: Set<Int64> = []
  }

  static let countMax = 4096
  private let state = Lock(State())

  /// Notes that entries rise in the commit under way at `arrival`, which follows on `last`.
  func note(
    _ entries: [(site: Int64, from: UInt64)], at arrival: UInt64, after last: UInt64, space: Int64
  ) {
    state.withLock { state in
      var line = state.lines.removeValue(forKey: space) ?? Line(knownFrom: last)
      for entry in entries {
        line.rises.append(Rise(arrival: arrival, site: entry.site, from: entry.from))
      }
      if line.rises.count > Self.countMax {
        // Those of one commit stay or go together.
        let dropped = line.rises[line.rises.count - Self.countMax / 2 - 1].arrival
        line.knownFrom = max(line.knownFrom, dropped)
        line.rises.removeAll { $0.arrival <= dropped }
      }
      state.lines[space] = line
      state.unsettled.insert(space)
    }
  }

  /// The commit took place.
  func settle() { state.withLock { $0.unsettled = [] } }

  /// The commit failed, or may have: nothing is known of its spaces from here on.
  func rollBack() {
    state.withLock { state in
      for space in state.unsettled { state.lines[space] = nil }
      state.unsettled = []
    }
  }

  /// The arrival from which all rises of a space are known; nil where there were none since it was opened.
  func knownFrom(space: Int64) -> UInt64? { state.withLock { $0.lines[space]?.knownFrom } }

  /// What was held at an arrival of each site that rose since, as far as that is known. Cost: O(rises since).
  func held(at arrival: UInt64, space: Int64) -> [Int64: UInt64] {
    state.withLock { state in
      // Of an arrival before that, the first rise of a site may be forgotten, and a later one is none of its.
      guard let line = state.lines[space], line.knownFrom <= arrival else { return [:] }
      var held: [Int64: UInt64] = [:]
      for rise in line.rises.reversed() {
        guard rise.arrival > arrival else { break }
        held[rise.site] = rise.from
      }
      return held
    }
  }
}
