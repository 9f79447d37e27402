/// The run of the newest of several producers, and its newest answer.
final class LatestRun<Output: Sendable>: Sendable {
  typealias Answer = Result<Output, any Error>

  private let relay: ValueNode<Answer?>
  private let serial = Lock(SerialCancellable())

  init(_ relay: ValueNode<Answer?>) { self.relay = relay }

  deinit { serial.withLock { $0.end() }?.cancel() }

  /// Begins a producer's work in place of what is under way; the turn's owner calls it.
  func start(_ producer: SignalProducer<Output>) {
    let number = serial.withLock { $0.next() }
    if relay.published.pointee != nil { relay.post(nil) }
    let run = producer.start { [weak self] event in
      switch event {
      case .value(let value): self?.answer(.success(value), number)
      case .failed(let error): self?.answer(.failure(error), number)
      case .finished: break
      }
    }
    serial.withLock { $0.replace(by: run, number) }?.cancel()
  }

  private func answer(_ answer: Answer, _ number: Int) {
    // Another run may have begun when the answer's turn comes.
    relay.post(answer, if: { [serial] in serial.withLock { $0.isCurrent(number) } })
  }
}
