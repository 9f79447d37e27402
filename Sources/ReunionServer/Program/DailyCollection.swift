import Foundation
import ReunionStore

/// Takes away, at the start and once a day, the blobs that nothing has named for a month, takes back
/// those whose files were away, and tells the host of files that are gone and of a clock that leapt.
final class DailyCollection: Sendable {
  private let task: Task<Void, Never>

  /// Begins with a store. If a collection fails, it says so in a sentence, and tries again a day later.
  init(of store: Store, notice: @escaping @Sendable (String) -> Void) {
    task = Task.detached(priority: .background) {
      while !Task.isCancelled {
        do {
          if let sentence = try store.settleTime().notice { notice(sentence) }
          try store.blobs.collect()
          if let sentence = try store.blobs.gaps().notice(in: store.folder) { notice(sentence) }
        } catch {
          guard (error as? StoreError)?.code != .closed else { return }
          // Nothing was lost by it.
          notice("What was deleted a month ago was not collected: \(error)")
        }
        try? await Task.sleep(for: .seconds(86_400))
      }
    }
  }

  deinit { task.cancel() }

  /// Collects no more.
  func stop() { task.cancel() }
}
