import Foundation
import ReunionStore

/// Takes away, at the start and once a day, the blobs that nothing has named for a month and what was deleted long ago,
/// takes back blobs whose files were away, and tells the host of files that are gone and of a clock that leapt.
final class DailyCollection: Sendable {
  private let task: Task<Void, Never>

  /// Begins with the spaces of a store. If a collection fails, it says so in a sentence, and tries again a day later.
  init(
    of spaces: ServedSpaces, silentDays: Int, notice: @escaping @Sendable (String) -> Void
  ) {
    let store = spaces.store
    task = Task.detached(priority: .background) {
      while !Task.isCancelled {
        do {
          try Self.collect(spaces, silentDays: silentDays, notice: notice)
        } catch {
          guard (error as? StoreError)?.code != .closed else { return }
          // Nothing was lost by it.
          notice("What was deleted a month ago was not collected: \(error)")
        }
        try? await Task.sleep(for: .seconds(86_400))
      }
    }
  }

  /// What it does once a day.
  static func collect(
    _ spaces: ServedSpaces, silentDays: Int, notice: @Sendable (String) -> Void
  ) throws {
    let store = spaces.store
    if let sentence = try store.settleTime().notice { notice(sentence) }
    try store.blobs.collect()
    for space in spaces.all where !Task.isCancelled {
      do {
        try space.closePast(in: store, silentDays: silentDays)
      } catch {
        guard (error as? StoreError)?.code != .closed else { throw error }
        notice("What was deleted long ago in the space \(space.name()) stays for now: \(error)")
      }
    }
    if let sentence = try store.blobs.gaps().notice(in: store.folder) { notice(sentence) }
  }

  deinit { task.cancel() }

  /// Collects no more.
  func stop() { task.cancel() }
}
