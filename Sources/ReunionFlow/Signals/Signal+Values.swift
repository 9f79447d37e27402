extension Signal {
  /// The present value and each change, for `for await`; a slow reader skips to the newest ones.
  ///
  /// At most `bufferMax` values wait for the reader, at least 1. The stream never ends by itself;
  /// cancel the reading task or release the stream to end it.
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
public struct BufferOverflow: Error, CustomStringConvertible {
  /// How many events could wait.
  public let bufferMax: Int

  /// A sentence that names the remedy.
  public var description: String {
    "More than \(bufferMax) events waited: read them faster, or give `values` a greater bufferMax."
  }
}
