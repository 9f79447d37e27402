import Dispatch
import Foundation

/// The requests to end this process, SIGINT and SIGTERM, held from the moment that this is made.
///
/// Make it before other threads are: they inherit that these signals wait for `wait`. After the
/// first one, a second ends the process at once.
package final class StopSignals: Sendable {
  private let arrived = DispatchSemaphore(value: 0)

  /// Holds the signals from now on, for as long as the process lives.
  package init() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let arrived = arrived
    let waiting = signals
    // A thread of its own: a signal that comes before anybody waits is kept, and lost by none.
    Thread.detachNewThread {
      var waiting = waiting
      var number: Int32 = 0
      sigwait(&waiting, &number)
      arrived.signal()
      sigwait(&waiting, &number)
      _exit(128 + number)
    }
  }

  /// Waits for the first signal.
  package func wait() { arrived.wait() }

  /// Waits at most so long, and tells whether to stop.
  package func wait(milliseconds: Int) -> Bool {
    arrived.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }
}
