import Dispatch

/// Keeps one warm worker and gives it one picture at a time.
///
/// `answer` and `stop` belong to the renderer's queue; `state` may be read from any thread.
final class WorkerHost: @unchecked Sendable {
  /// What tests look at.
  struct State: Sendable, Hashable {
    var identifier: Int32?
    /// Whether the worker has a request that it has not answered.
    var isBusy = false
    var workersStarted = 0
  }

  private let launch: WorkerProcess.Launch
  private let picturesPerWorker: Int
  private var process: WorkerProcess?
  private var pictures = 0
  private let stateQueue = DispatchQueue(label: "reunion.images.state")
  private var guardedState = State()

  init(_ launch: WorkerProcess.Launch, picturesPerWorker: Int) {
    self.launch = launch
    self.picturesPerWorker = max(1, picturesPerWorker)
  }

  var state: State { stateQueue.sync { guardedState } }

  private func update(_ change: (inout State) -> Void) {
    stateQueue.sync { change(&guardedState) }
  }

  /// The answer to a request that waits its turn on the queue.
  func answer(
    _ request: WorkerRequest, on queue: DispatchQueue
  ) async throws(ImageError) -> WorkerAnswer {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<WorkerAnswer, ImageError>, Never>) in
      queue.async { continuation.resume(returning: self.answer(request)) }
    }
    return try result.get()
  }

  /// Errors by which a worker says that it lacked something, memory or threads.
  private static let shortages: Set<ImageError.Code> = [.tooLargeForMemory, .workerUnavailable]

  /// The answer of a worker with enough of all, or of a fresh one, which alone can tell that it is
  /// this picture that takes too much: what the pictures before took may not be given back yet.
  private func answer(_ request: WorkerRequest) -> Result<WorkerAnswer, ImageError> {
    while true {
      let answer = ask(request)
      guard case .failure(let error) = answer, process != nil,
        Self.shortages.contains(error.code)
      else { return answer }
      let isFirst = pictures == 1
      stop()
      if isFirst { return answer }
    }
  }

  private func ask(_ request: WorkerRequest) -> Result<WorkerAnswer, ImageError> {
    let worker: WorkerProcess
    do throws(ImageError) {
      worker = try readyWorker()
    } catch {
      return .failure(error)
    }
    pictures += 1
    defer { update { $0.isBusy = false } }
    do throws(FrameSocket.Failure) {
      switch try worker.ask(request, sent: { update { $0.isBusy = true } }) {
      case .error(let error): return .failure(error)
      case let answer: return .success(answer)
      }
    } catch {
      let end = worker.stop()
      process = nil
      update { $0.identifier = nil }
      let code: ImageError.Code =
        error == .timedOut || WorkerProcess.endsOfTime.contains(end) ? .tooSlow : .workerDied
      return .failure(ImageError(code, detail: "\(error), \(end)"))
    }
  }

  /// The running worker, or a new one when it has died or has made its share.
  private func readyWorker() throws(ImageError) -> WorkerProcess {
    if let process, pictures < picturesPerWorker, !process.isUnusable { return process }
    stop()
    let process = try WorkerProcess(launch)
    self.process = process
    pictures = 0
    update {
      $0.identifier = process.identifier
      $0.workersStarted += 1
    }
    return process
  }

  func stop() {
    process?.stop()
    process = nil
    update { $0.identifier = nil }
  }
}
