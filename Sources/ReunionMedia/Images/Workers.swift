import Dispatch

/// Two workers: one for pictures that are soon done, and one for all others, so that nobody's small
/// picture waits for a large one or for one that never ends.
///
/// Each picture goes to the first with the bounds of ``ImageLimits/quick``. What is over them is no
/// verdict: the second takes it, with the bounds of its request and less of the processor. In both,
/// groups and people take turns (``GroupedTurns``) by the time that they use. Each process starts with its
/// first picture. *Thread*: any.
final class Workers: Sendable {
  /// How far each gives way to others on the machine: a picture may wait for those who write, and not
  /// they for a picture.
  private static let (quickNiceness, patientNiceness) = (10, 15)

  let quick: WorkerHost
  let patient: WorkerHost
  private let limits: ImageLimits
  private let quickQueue: DispatchQueue
  private let patientQueue: DispatchQueue

  init(_ launch: WorkerProcess.Launch, limits: ImageLimits, label: String) {
    var launch = launch
    self.limits = limits
    quickQueue = DispatchQueue(label: label)
    patientQueue = DispatchQueue(label: "\(label).patient")
    launch.niceness = Self.quickNiceness
    quick = WorkerHost(launch, limits: limits)
    launch.niceness = Self.patientNiceness
    patient = WorkerHost(launch, limits: limits)
  }

  /// Both together, but for the process, which is the first one's.
  var state: WorkerHost.State {
    var state = quick.state
    let other = patient.state
    state.isBusy = state.isBusy || other.isBusy
    state.workersStarted += other.workersStarted
    state.waiting += other.waiting
    return state
  }

  /// The answer to a request, when its turn has come.
  func answer(
    _ request: WorkerRequest, of path: String, by person: UInt64, in group: UInt64
  ) async throws(ImageError) -> WorkerAnswer {
    let first = request.bounded(by: limits.quick)
    do throws(ImageError) {
      return try await quick.answer(first, of: path, by: person, in: group, on: quickQueue)
    } catch  where first.isExceeded(by: error, before: request) {
      return try await patient.answer(request, of: path, by: person, in: group, on: patientQueue)
    }
  }

  func stop() {
    let (quick, patient) = (quick, patient)
    quickQueue.async { quick.stop() }
    patientQueue.async { patient.stop() }
  }
}

extension ImageLimits {
  /// What a picture may cost that keeps others waiting.
  struct Quick: Sendable, Hashable {
    /// A phone's photo: 12 megapixels, and 62 of a JPEG, which shrinks while it is decoded.
    var pixelsMax = 12_500_000
    var bytesMax = 24 << 20
    /// Seconds of computing, however long a busy machine takes for them.
    var computingSecondsMax = 1
  }
}

extension WorkerRequest {
  /// The same with the bounds of what is soon done, where they are narrower.
  func bounded(by quick: ImageLimits.Quick) -> WorkerRequest {
    var request = self
    request.pixelsMax = min(pixelsMax, quick.pixelsMax)
    request.fileBytesMax = min(fileBytesMax, quick.bytesMax)
    request.computingSecondsMax = min(computingSecondsMax, quick.computingSecondsMax)
    return request
  }

  /// Whether an error says no more than that a picture is over these bounds and perhaps not over others.
  func isExceeded(by error: ImageError, before other: WorkerRequest) -> Bool {
    switch error.code {
    case .tooManyPixels: pixelsMax < other.pixelsMax
    case .tooManyBytes: fileBytesMax < other.fileBytesMax
    case .tooSlow: computingSecondsMax < other.computingSecondsMax
    default: false
    }
  }
}
