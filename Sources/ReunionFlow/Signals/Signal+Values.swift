extension Signal {
  /// The present value and each change, for `for await`; a slow reader skips to the newest ones.
  ///
  /// ```swift
  /// for await photos in try replica.live(Query<Photo>(in: space)).values() {
  ///   print("\(photos.count) photos")
  ///   if photos.count >= 100 { break }
  /// }
  /// ```
  ///
  /// At most `bufferMax` values wait for the reader, at least 1. The stream never ends by itself;
  /// cancel the reading task or release the stream to end it. Each call makes a stream of its own.
  public func values(bufferMax: Int = 1) -> AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(max(1, bufferMax))) { continuation in
      let subscription = observe { continuation.yield($0) }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}

extension Occurrences {
  /// The events from now on, for `for try await`.
  ///
  /// ```swift
  /// for try await change in replica.refusedChanges.values() {
  ///   print(change.sentence ?? "You may not change that.")
  /// }
  /// ```
  ///
  /// It observes from this call on, and not only from the first `next`.
  /// No event is lost unnoticed: one that finds `bufferMax` of them waiting, at least 1, ends the
  /// sequence with `BufferOverflow`, after those that wait.
  public func values(bufferMax: Int = 256) -> AsyncThrowingStream<Value, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingOldest(max(1, bufferMax))) { continuation in
      let subscription = observe { event in
        guard case .dropped = continuation.yield(event) else { return }
        continuation.finish(throwing: BufferOverflow(bufferMax: bufferMax))
      }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}

/// The reader of a sequence of events was too slow: some of them are not in it.
///
/// `Occurrences.values(bufferMax:)` throws it, once, after the events that waited; the sequence is
/// over then. Read the state anew, and begin another one.
public struct BufferOverflow: Error, CustomStringConvertible {
  /// How many events could wait, as the caller asked for.
  public let bufferMax: Int

  /// A sentence that names the remedy.
  public var description: String {
    "More than \(bufferMax) events waited: read them faster, or give `values` a greater bufferMax."
  }
}
