/// The run of the newest of several producers, and its newest answer.
final class LatestRun<Output: Sendable>: Sendable {
  typealias Answer = Result<Output, any Error>

  private let relay: ValueNode<Answer?>
  private let stage = Lock(Stage())

  init(_ relay: ValueNode<Answer?>) { self.relay = relay }

  deinit { stage.withLock { $0.end() }?.cancel() }

  /// Begins a producer's work in place of what is under way; the turn's owner calls it.
  func start(_ producer: SignalProducer<Output>) {
    let number = stage.withLock { $0.next() }
    if relay.published.pointee != nil { relay.post(nil) }
    let run = producer.start { [weak self] event in
      switch event {
      case .value(let value): self?.answer(.success(value), number)
      case .failed(let error): self?.answer(.failure(error), number)
      case .finished: break
      }
    }
    stage.withLock { $0.replace(by: run, number) }?.cancel()
  }

  private func answer(_ answer: Answer, _ number: Int) {
    // Another run may have begun when the answer's turn comes.
    relay.post(answer, if: { [stage] in stage.withLock { $0.isCurrent(number) } })
  }
}
