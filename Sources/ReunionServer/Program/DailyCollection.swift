import Foundation
import Reunion

/// Takes away, at the start and once a day, what deleted photos left a month ago.
final class DailyCollection: Sendable {
  private let task: Task<Void, Never>

  init(of store: Store) {
    task = Task.detached(priority: .background) {
      while !Task.isCancelled {
        do {
          try store.blobs.collect()
        } catch {
          guard (error as? StoreError)?.code != .closed else { return }
          // Nothing was lost by it; it is tried again tomorrow.
          let line = "albums: deleted photos were not collected: \(error)\n"
          FileHandle.standardError.write(Data(line.utf8))
        }
        try? await Task.sleep(for: .seconds(86_400))
      }
    }
  }

  deinit { task.cancel() }

  func stop() { task.cancel() }
}
