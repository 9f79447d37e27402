import Foundation
import ReunionFlow

/// What uploads really went through, a transition a line, for the journeys: they are to take all.
///
/// It is on where the environment names a file as `REUNION_UPLOAD_TRACE`; several servers may append
/// to one file. `REUNION_UPLOAD_SECONDS` is how long an upload waits in place of a week.
///
/// *Thread*: any.
struct UploadTrace: Sendable {
  /// The trace of this process, nil if nobody asked for one.
  static let current = environment["REUNION_UPLOAD_TRACE"].flatMap { UploadTrace(file: $0) }
  /// How long an upload waits, where a test says so.
  static let secondsMax = environment["REUNION_UPLOAD_SECONDS"].flatMap(Double.init)

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }
  private let descriptor: Int32
  private let observations = DisposeBag()

  private init?(file: String) {
    descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
  }

  /// Records what a machine goes through.
  func record(_ machine: StateMachine<UploadLife>) {
    machine.transitions.observe { [descriptor] transition in
      let line = Array("\(MachineModel<UploadLife>.Edge(transition))\n".utf8)
      // One write: lines of several servers do not mix.
      _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }.store(in: observations)
  }
}
