import Dispatch
public import ReunionCore
import ReunionDisk
import ReunionFlow

extension Store {
  /// Writes in a space like `write(in:_:)`, for many tasks at once: writes that wait for the disk
  /// share one commit and its sync.
  ///
  /// ```swift
  /// try await withThrowingTaskGroup(of: Void.self) { group in
  ///   for number in 1...100 {
  ///     group.addTask {
  ///       try await store.groupedWrite(in: space) { transaction in
  ///         _ = try transaction.create(Photo.self) { $0.caption = "Photo \(number)" }
  ///       }
  ///     }
  ///   }
  ///   try await group.waitForAll()
  /// }
  /// ```
  /// A hundred such writes cost a few syncs instead of a hundred. Each is atomic by itself: if its
  /// closure throws, the others of the group stay. At most 256 share a commit, in the order in
  /// which they came.
  ///
  /// *Thread*: the closures run one after the other on a queue of the store, and the caller's
  /// thread is not blocked. *Durability*: on the disk when this returns, as for `write`.
  /// *Cancellation*: none; a task that is cancelled has its write all the same.
  ///
  /// *Errors*: what the closure throws; then nothing of this write happened. If the commit itself
  /// fails, as on a full disk, each write of the group throws that error, and nothing of any of
  /// them happened. The closure runs once in any case.
  /// - Parameters:
  ///   - space: the space in which all changes are made.
  ///   - body: what makes the changes; it may be run on any thread.
  /// - Returns: what the closure returns.
  /// - Throws: what the closure throws, or the `StoreError` for which the commit failed.
  @discardableResult
  public func groupedWrite<Success: Sendable>(
    in space: SpaceID, _ body: @escaping @Sendable (WriteTransaction) throws -> Success
  ) async throws -> Success {
    let success = Lock<Success?>(nil)
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      let write = WaitingWrite(
        space: space,
        body: { transaction in
          let result = try body(transaction)
          success.withLock { $0 = result }
        },
        finish: { error in
          if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        })
      guard waitingWrites.add(write) else { return }
      waitingWrites.queue.async { self.writeWaiting() }
    }
    guard let success = success.withLock({ $0 }) else {
      throw StoreError(.unexpected, "A write ended without a result; please report this.")
    }
    return success
  }

  /// Commits what waits, group after group, until nothing does.
  private func writeWaiting() {
    while let group = waitingWrites.take() {
      var errors = [(any Error)?](repeating: nil, count: group.count)
      do throws(StoreError) {
        tell(try commit(group, &errors))
      } catch {
        for index in errors.indices { errors[index] = errors[index] ?? error }
      }
      for (write, error) in zip(group, errors) { write.finish(error) }
    }
  }

  /// Commits a group; the writes that threw have their error, and left nothing.
  private func commit(
    _ group: [WaitingWrite], _ errors: inout [(any Error)?]
  ) throws(StoreError) -> [Commit] {
    try commitAll(inMemory: !options.seededBugs.groupsSpill) {
      (writer, records) throws(StoreError) in
      let connection = records.reader.connection
      var commits: [Commit] = []
      for (index, write) in group.enumerated() {
        let mark = records.arrivals.mark
        try connection.run("SAVEPOINT reunion_write")
        do throws(StoreError) {
          commits += try perform(write, &errors[index], &writer, records)
        } catch {
          errors[index] = errors[index] ?? error
          // Where SQLite has given up all of it, so does the group.
          guard connection.isInTransaction else { throw error }
          records.arrivals.rollBack(to: mark)
          records.reader.numbers.forget()
          // Its row may have been made by this write, and be gone again.
          writer.spaces[write.space] = nil
          writer.readerSpaces.remove(write.space)
          try connection.run("ROLLBACK TO reunion_write")
        }
        try connection.run("RELEASE reunion_write")
      }
      return commits
    }
  }

  private func perform(
    _ write: WaitingWrite, _ thrown: inout (any Error)?, _ writer: inout StoreWriter,
    _ records: RecordWriter
  ) throws(StoreError) -> [Commit] {
    let (_, commit) = try perform(
      in: write.space, fieldMerge: .register, nil, &writer, records
    ) { (transaction) throws(StoreError) in
      do {
        try write.body(transaction)
      } catch {
        thrown = error
        throw error as? StoreError ?? StoreError(.unexpected, "The closure of a write threw.")
      }
    }
    return commit.map { [$0] } ?? []
  }
}

/// A write that waits for a commit together with others.
struct WaitingWrite: Sendable {
  let space: SpaceID
  let body: @Sendable (WriteTransaction) throws -> Void
  let finish: @Sendable ((any Error)?) -> Void
}

/// The writes that wait, in the order in which they came.
final class WaitingWrites: Sendable {
  private struct State {
    var writes: [WaitingWrite] = []
    var isTaken = false
    var addedCount = 0
    var groupCount = 0
  }

  /// How many writes share a commit at most.
  private static let groupMax = 256

  private let state = Lock(State())
  /// Where they are written: it may block, which a task's thread should not.
  let queue = DispatchQueue(label: "reunion.store.writes")

  /// How many writes came so far, and in how many groups they were taken.
  var counts: (added: Int, groups: Int) {
    state.withLock { ($0.addedCount, $0.groupCount) }
  }

  /// Adds a write; true where the caller has to see to it that they are taken.
  func add(_ write: WaitingWrite) -> Bool {
    state.withLock { state in
      state.writes.append(write)
      state.addedCount += 1
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// The next group, nil where nothing waits any more.
  func take() -> [WaitingWrite]? {
    state.withLock { state in
      guard !state.writes.isEmpty else {
        state.isTaken = false
        return nil
      }
      let group = Array(state.writes.prefix(Self.groupMax))
      state.writes.removeFirst(group.count)
      state.groupCount += 1
      return group
    }
  }
}
