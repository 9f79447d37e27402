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
    /// Pictures that wait for their turn.
    var waiting = 0
  }

  private typealias Reply = CheckedContinuation<Result<WorkerAnswer, ImageError>, Never>

  /// A picture that waits.
  private struct Job {
    let request: WorkerRequest
    let path: String
    let reply: Reply
  }

  private let launch: WorkerProcess.Launch
  private let picturesPerWorker: Int
  private var process: WorkerProcess?
  private var pictures = 0
  private let stateQueue = DispatchQueue(label: "reunion.images.state")
  private var guardedState = State()
  private var turns: GroupedTurns<Job>

  init(_ launch: WorkerProcess.Launch, limits: ImageLimits) {
    self.launch = launch
    picturesPerWorker = max(1, limits.picturesPerWorker)
    turns = GroupedTurns(waitingMax: max(1, limits.waitingMax))
  }

  var state: State { stateQueue.sync { guardedState } }

  private func update(_ change: (inout State) -> Void) {
    stateQueue.sync { change(&guardedState) }
  }

  /// The answer to a request, when its turn has come on the queue: groups, and people in them, take turns by
  /// the time that their pictures take, whatever comes of them.
  func answer(
    _ request: WorkerRequest, of path: String, by person: UInt64, in group: UInt64,
    on queue: DispatchQueue
  ) async throws(ImageError) -> WorkerAnswer {
    let result = await withCheckedContinuation { (continuation: Reply) in
      let job = Job(request: request, path: path, reply: continuation)
      guard take(job, of: person, in: group) else {
        continuation.resume(returning: .failure(ImageError(.tooManyWaiting)))
        return
      }
      // One for each job, of whoever it then is.
      queue.async { self.takeNext() }
    }
    return try result.get()
  }

  private func take(_ job: Job, of person: UInt64, in group: UInt64) -> Bool {
    stateQueue.sync {
      let isTaken = turns.add(job, of: person, in: group, at: Patience.monotonic())
      if isTaken { guardedState.waiting += 1 }
      return isTaken
    }
  }

  private func takeNext() {
    let next = stateQueue.sync {
      let job = turns.next()
      if job != nil { guardedState.waiting -= 1 }
      return job
    }
    guard let job = next else { return }
    let began = Patience.monotonic()
    let answer = answer(job)
    let now = Patience.monotonic()
    stateQueue.sync { turns.end(took: now - began, at: now) }
    job.reply.resume(returning: answer)
  }

  /// Errors by which a worker says that it lacked something, memory or threads.
  private static let shortages: Set<ImageError.Code> = [.tooLargeForMemory, .workerUnavailable]

  /// The answer of a worker with enough of all, or of a fresh one, which alone can tell that it is
  /// this picture that takes too much: what the pictures before took may not be given back yet.
  private func answer(_ job: Job) -> Result<WorkerAnswer, ImageError> {
    while true {
      let answer = Result { () throws(ImageError) in try ask(job) }
      guard case .failure(let error) = answer, process != nil,
        Self.shortages.contains(error.code)
      else { return answer }
      let isFirst = pictures == 1
      stop()
      if isFirst { return answer }
    }
  }

  private func ask(_ job: Job) throws(ImageError) -> WorkerAnswer {
    let file = try PictureFile(
      job.path, bytesMax: job.request.fileBytesMax,
      tooLarge: job.request.kind == .checkPreview ? .badPreview : .tooManyBytes)
    let worker = try readyWorker()
    pictures += 1
    defer { update { $0.isBusy = false } }
    let answer: WorkerAnswer
    do throws(FrameSocket.Failure) {
      answer = try worker.ask(job.request, of: file) { update { $0.isBusy = true } }
    } catch {
      throw failure(error, of: worker)
    }
    if case .error(let error) = answer { throw error }
    return answer
  }

  /// What it means that a worker did not answer, which ends it.
  private func failure(_ failure: FrameSocket.Failure, of worker: WorkerProcess) -> ImageError {
    let end = worker.stop()
    process = nil
    update { $0.identifier = nil }
    let isLate = failure == .timedOut || WorkerProcess.endsOfTime.contains(end)
    let code: ImageError.Code =
      failure == .unreadable ? .unreadable : isLate ? .tooSlow : .workerDied
    let why = end == WorkerProcess.endBySandbox ? ", by its sandbox" : ""
    return ImageError(code, detail: "\(failure), \(end)\(why)")
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
